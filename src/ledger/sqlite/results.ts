import type {
  LedgerResults,
  NewResult,
  RecordedResult,
  ResultReports,
  ResultRow,
} from '../../core/ports/results.ts';
import type { Transaction } from './commit.ts';
import { documentById } from './documents.ts';
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
import { idFrom } from './numbers.ts';
import * as SQL from './sql/results.ts';
import type { Sql } from './statements.ts';
import type { Store } from './store.ts';

export function createResults(store: Store): LedgerResults {
  return {
    recordResult: (result) => {
      // Computed before the transaction, which other writes wait for.
      const kept = keptOf(result.payload);
      return store.write((sql) => record(sql, result, kept));
    },
  };
}

export function createResultReports(store: Store): ResultReports {
  return {
    results: ({ of, order, after, limit }) =>
      store.read((sql) => {
        const first = order === 'oldest' ? 0 : Number.MAX_SAFE_INTEGER;
        const params = { after: after ?? first, limit };
        if (of === 'all' || of === 'received')
          return sql.all<StoredResult>(SQL.ALL_RESULTS[order], params).map(toResultRow);
        if (of === 'unmatched')
          return sql.all<StoredResult>(SQL.UNMATCHED_RESULTS[order], params).map(toResultRow);
        return sql.all<StoredResult>(SQL.RESULTS_OF[order], { ...params, documentId: of }).map(toResultRow);
      }),

    result: (id) =>
      store.read((sql) => {
        const row = sql.get<StoredResult & { payload: string | null }>(SQL.RESULT_BY_ID, { id });
        return row ? { ...toResultRow(row), payload: row.payload } : null;
      }),

    countResults: (of) => store.read((sql) => sql.get<{ count: number }>(SQL.COUNT_RESULTS[of])?.count ?? 0),

    lastResult: () => store.read((sql) => sql.get<{ id: number }>(SQL.LAST_RESULT_ID)?.id ?? 0),
  };
}

export function resultsOf(sql: Sql, documentId: number): ResultRow[] {
  const params = { documentId, after: Number.MAX_SAFE_INTEGER, limit: MOST_SHOWN };
  return sql.all<StoredResult>(SQL.RESULTS_OF.newest, params).map(toResultRow).toReversed();
}

function record(sql: Transaction, result: NewResult, kept: KeptPayload): RecordedResult {
  const match = matchOf(sql, result);
  const target = match?.id ?? null;
  const documentNow = () => (target === null ? null : documentById(sql, target));
  const repeated = sql.get<{ id: number }>(SQL.REPEATED, { documentId: target ?? 0, sha256: kept.sha256 });
  if (repeated) return { id: repeated.id, document: documentNow(), isNew: false, isProof: false };
  const id = idFrom(sql, SQL.NEXT_RESULT_ID);
  sql.emit(resultEvent(id, result, kept, match), result.at);
  const proven = provenBy(result, match);
  if (proven) sql.emit(proven, result.at);
  return { id, document: documentNow(), isNew: true, isProof: proven !== null };
}

function matchOf(sql: Sql, { baseUrl, uid, name }: NewResult): Match | undefined {
  if (name === null) return undefined;
  if (uid !== null) return sql.get<Match>(SQL.MATCH_IN_ENDPOINT, { baseUrl, uid, name });
  const [first, ...others] = sql.all<Match>(SQL.MATCH_BY_NAME, { baseUrl, name });
  return others.length === 0 ? first : undefined;
}

/** Adjusts how an upload request ends whose document got a result earlier. */
export function besideResults(sql: Sql, documentId: number, move: Move): Move {
  if (move.state !== 'accepted' && move.state !== 'unconfirmed' && move.state !== 'queued') return move;
  const row = sql.get<SinceLastAttempt>(SQL.SINCE_LAST_ATTEMPT, { id: documentId });
  return row ? besideThese(row, move) : move;
}
