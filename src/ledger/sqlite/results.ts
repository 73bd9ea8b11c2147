import { hash } from 'node:crypto';
import type { DocumentState } from '../../core/domain/document.ts';
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
  textOf,
  toResultRow,
  wasMissing,
  type KeptPayload,
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
      const kept = { ...textOf(result.payload), sha256: hash('sha256', result.payload, 'hex') };
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

const MOST_SHOWN = 500;

export function resultsOf(sql: Sql, documentId: number): ResultRow[] {
  const params = { documentId, after: Number.MAX_SAFE_INTEGER, limit: MOST_SHOWN };
  return sql.all<StoredResult>(SQL.RESULTS_OF.newest, params).map(toResultRow).toReversed();
}

interface Match {
  readonly id: number;
  readonly state: DocumentState;
  readonly attempts: number;
  readonly answerLost: number;
  readonly serviceStatus: string | null;
  readonly response: string | null;
  /** The service was known to have it, from an answer or a result. */
  readonly wasThere: number;
}

function record(
  sql: Transaction,
  result: NewResult,
  { encoding, payload, sha256 }: KeptPayload,
): RecordedResult {
  const { at, status } = result;
  const match = matchOf(sql, result);
  const target = match?.id ?? null;
  const documentNow = () => (target === null ? null : documentById(sql, target));
  const repeated = sql.get<{ id: number }>(SQL.REPEATED, { documentId: target ?? 0, sha256 });
  if (repeated) return { id: repeated.id, document: documentNow(), isNew: false, isProof: false };
  const id = idFrom(sql, SQL.NEXT_RESULT_ID);
  const given = { givenName: match ? null : result.name, givenUid: result.uid };
  const what = { status, sha256, size: result.payload.length, encoding, payload, ...given };
  sql.emit({ kind: 'result', result: id, document: target, attempts: match?.attempts ?? null, ...what }, at);
  const isProof = match !== undefined && wasMissing({ ...match, wasThere: match.wasThere === 1 });
  if (isProof) {
    const { serviceStatus, response } = match;
    const move = { state: 'accepted', status: status ?? serviceStatus, response } as const;
    sql.emit({ kind: 'moved', documents: [match.id], ...move }, at);
  }
  return { id, document: documentNow(), isNew: true, isProof };
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
