import type {
  LedgerResults,
  NewResult,
  RecordedResult,
  ResultReports,
  ResultRow,
} from '../../core/ports/results.ts';
import type { Move } from '../events.ts';
import {
  besideThese,
  keptOf,
  MOST_SHOWN,
  provenBy,
  resultEvent,
  toResultRow,
  type KeptPayload,
  type Match,
  type SinceLastAttempt,
  type StoredResult,
} from '../resultRows.ts';
import { documentById } from './documents.ts';
import type { Reading } from './reading.ts';
import * as SQL from './sql/results.ts';
import type { Params, Sql } from './statements.ts';
import type { Store } from './store.ts';
import type { Transaction } from './transaction.ts';

export function createResults(store: Store): LedgerResults {
  return {
    recordResult: (result) => {
      // Computed before the transaction, which other writes wait for.
      const kept = keptOf(result.payload);
      return store.write((sql) => record(sql, result, kept));
    },
  };
}

export function createResultReports(ledger: Reading): ResultReports {
  return {
    results: ({ of, order, after, limit }) =>
      ledger.read(async (sql) => {
        const first = order === 'oldest' ? 0 : Number.MAX_SAFE_INTEGER;
        const params = { after: after ?? first, limit };
        if (of === 'all') return rowsOf(sql, SQL.ALL_RESULTS[order], params);
        if (of === 'received')
          return rowsOf(sql, SQL.RECEIVED_RESULTS[order], { ...params, agent: ledger.places.agent });
        if (of === 'unmatched') return rowsOf(sql, SQL.UNMATCHED_RESULTS[order], params);
        return rowsOf(sql, SQL.RESULTS_OF[order], { ...params, documentId: of });
      }),

    result: (id) =>
      ledger.read(async (sql) => {
        const row = await sql.get<StoredResult & { payload: string | null }>(SQL.RESULT_BY_ID, { id });
        return row ? { ...toResultRow(row), payload: row.payload } : null;
      }),

    countResults: (of) =>
      ledger.read(async (sql) => (await sql.get<{ count: number }>(SQL.COUNT_RESULTS[of]))?.count ?? 0),

    lastResult: () =>
      ledger.read(async (sql) => {
        const { agent } = ledger.places;
        return (await sql.get<{ id: number }>(SQL.LAST_RESULT_ID, { agent }))?.id ?? 0;
      }),
  };
}

export async function resultsOf(sql: Sql, documentId: number): Promise<ResultRow[]> {
  const params = { documentId, after: Number.MAX_SAFE_INTEGER, limit: MOST_SHOWN };
  return (await rowsOf(sql, SQL.RESULTS_OF.newest, params)).toReversed();
}

async function rowsOf(sql: Sql, text: string, params: Params): Promise<ResultRow[]> {
  return (await sql.all<StoredResult>(text, params)).map(toResultRow);
}

async function record(sql: Transaction, result: NewResult, kept: KeptPayload): Promise<RecordedResult> {
  sql.send(SQL.LOCK_RESULTS);
  const match = await matchOf(sql, result);
  const target = match?.id ?? null;
  const documentNow = async () => (target === null ? null : documentById(sql, target));
  const repeated = await sql.get<{ id: number }>(SQL.REPEATED, {
    documentId: target ?? 0,
    sha256: kept.sha256,
  });
  if (repeated) return { id: repeated.id, document: await documentNow(), isNew: false, isProof: false };
  const id = (await sql.get<{ id: number }>(SQL.NEXT_RESULT_ID))?.id;
  if (id === undefined) throw new Error('a sequence gave no number');
  sql.emit(resultEvent(id, result, kept, match), result.at);
  const proven = provenBy(result, match);
  if (proven) sql.emit(proven, result.at);
  return { id, document: await documentNow(), isNew: true, isProof: proven !== null };
}

async function matchOf(sql: Sql, { baseUrl, uid, name }: NewResult): Promise<Match | undefined> {
  if (name === null) return undefined;
  if (uid !== null) return sql.get<Match>(SQL.MATCH_IN_ENDPOINT, { baseUrl, uid, name });
  const [first, ...others] = await sql.all<Match>(SQL.MATCH_BY_NAME, { baseUrl, name });
  return others.length === 0 ? first : undefined;
}

/** Adjusts how an upload request ends whose document got a result earlier. */
export async function besideResults(sql: Sql, documentId: number, move: Move): Promise<Move> {
  if (move.state !== 'accepted' && move.state !== 'unconfirmed' && move.state !== 'queued') return move;
  const row = await sql.get<SinceLastAttempt>(SQL.SINCE_LAST_ATTEMPT, { id: documentId });
  return row ? besideThese(row, move) : move;
}
