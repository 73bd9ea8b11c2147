import type { AttemptOutcome, DocumentState, EndpointKey } from '../../core/domain/document.ts';
import { ReceiptdError } from '../../core/domain/errors.ts';
import type { LedgerQueue, Requeue } from '../../core/ports/ledgerQueue.ts';
import { Claims, createClaim, lineWrites } from './claims.ts';
import { documentUnknown, wrongState } from '../documentErrors.ts';
import { moveOf, seenAgain } from '../moves.ts';
import type { Transaction } from './commit.ts';
import { besideResults } from './results.ts';
import {
  relativePath,
  toDocument,
  toIdentity,
  type DocumentRow,
  type IdentityRow,
  type LocationRow,
} from '../rows.ts';
import { nextId, nextNumbers } from './numbers.ts';
import { endpointIdOf } from './ids.ts';
import { SOURCES } from './sql/disposals.ts';
import { RETRIABLE_AFTER } from './sql/documents.ts';
import { ALL_ENDPOINTS } from './sql/endpoints.ts';
import * as SQL from './sql/queue.ts';
import type { Sql } from './statements.ts';
import type { Store } from './store.ts';

/** A request leaves once its start is committed, which a slow disk may delay; after this time, no request leaves any more. */
const SENT_WITHIN_MS = 10 * 60_000;

const INTERRUPTED = 'receiptd stopped while this was being sent. It may have arrived, and is sent again.';

export function createQueue(store: Store): LedgerQueue {
  const claims = new Claims();

  /** Ends the claim only once the change is durable: until then the row still looks due. */
  const writeClaimed = async <T>(
    documentIds: readonly number[],
    work: (sql: Transaction) => T,
  ): Promise<T> => {
    const value = await store.write(work);
    claims.drop(documentIds);
    return value;
  };

  return {
    async recover(at) {
      claims.dropAll();
      return store.write((sql) => recover(sql, at));
    },

    claim: createClaim(store, claims, lineWrites(store)),

    async release(documentIds) {
      claims.drop(documentIds);
    },

    begin: (id, at, bytes) =>
      writeClaimed([id], (sql) => {
        idle(sql, id, 'upload');
        const attempt = nextId(sql, 'attempts');
        sql.emit({ kind: 'began', attempt, document: id, bytes }, at);
        return attempt;
      }),

    finish: (attemptId, result, requeue) =>
      store.writeOutcome((sql) => {
        const { documentId, hasResults } = endAttempt(sql, attemptId, result);
        const ended = moveOf(result.transition);
        const move = hasResults ? besideResults(sql, documentId, ended) : ended;
        sql.emit({ kind: 'moved', documents: [documentId], ...move }, result.at);
        if (requeue) queueAtEnd(sql, requeue, result.at);
      }),

    finishReplayed: (attemptId, at, httpStatus, message) =>
      store.writeOutcome((sql) => {
        endAttempt(sql, attemptId, { at, outcome: 'trouble', httpStatus, message });
      }),

    postpone: (id, notBefore, reason, message, at) =>
      writeClaimed([id], (sql) => {
        idle(sql, id, 'postpone');
        const flags = { answerLost: false, serverError: false };
        const move = besideResults(
          sql,
          id,
          moveOf({ state: 'queued', notBefore, reason, message, ...flags }),
        );
        sql.emit({ kind: 'moved', documents: [id], ...move }, at);
      }),

    markLost: (id, message, at, newestSeen = Infinity) =>
      writeClaimed([id], (sql) => {
        const { sha256 } = idle(sql, id, 'lose');
        const [newest] = sql.all<{ sighting: number }>(SOURCES, { sha256 });
        if ((newest?.sighting ?? 0) > newestSeen) {
          sql.emit({ kind: 'moved', documents: [id], ...seenAgain(at) }, at);
          return;
        }
        sql.emit({ kind: 'moved', documents: [id], state: 'lost', reason: 'BYTES_GONE', message }, at);
      }),

    waiting: (afterId, limit) =>
      store.read((sql) => sql.all<DocumentRow>(SQL.WAITING_DOCUMENTS, { afterId, limit }).map(toDocument)),

    retriable: (afterId, limit, at) =>
      store.read((sql) =>
        sql.all<{ id: number }>(RETRIABLE_AFTER, { afterId, limit, at }).map(({ id }) => id),
      ),

    wanted: (sha256s, failedSince) =>
      store.read((sql) => {
        const params = { sha256s: JSON.stringify(sha256s), failedSince };
        const rows = [
          ...sql.all<{ sha256: string }>(SQL.WANTED, params),
          ...sql.all<{ sha256: string }>(SQL.WANTED_FILES, { sha256s: params.sha256s }),
        ];
        return new Set(rows.map(({ sha256 }) => sha256));
      }),

    nextDue: (endpoint, now) =>
      store.read((sql) => {
        const endpointId = endpointIdOf(sql, endpoint);
        if (endpointId === undefined) return null;
        return sql.get<{ notBefore: number }>(SQL.NEXT_DUE_TIME, { endpointId, now })?.notBefore ?? null;
      }),

    sources: (sha256) =>
      store.read((sql) =>
        sql
          .all<IdentityRow & LocationRow & { sighting: number; archivedTo: string | null }>(SOURCES, {
            sha256,
          })
          .map((row) => ({
            folder: row.folder,
            path: relativePath(row),
            identity: toIdentity(row),
            archivedTo: row.archivedTo,
            sighting: row.sighting,
          })),
      ),

    attemptTimes: (endpoint, since, limit) =>
      store.read((sql) =>
        endpointIds(sql, endpoint)
          .flatMap((endpointId) =>
            sql.all<{ sentBy: number }>(SQL.ATTEMPT_TIMES, {
              endpointId,
              since: since - SENT_WITHIN_MS,
              limit,
            }),
          )
          .map(({ sentBy }) => sentBy)
          .filter((sentBy) => sentBy > since)
          .sort((a, b) => b - a)
          .slice(0, limit),
      ),

    countAttempts: (endpoint, since, now) =>
      store.read((sql) =>
        endpointIds(sql, endpoint)
          .map(
            (endpointId) =>
              sql.get<{ count: number }>(SQL.COUNT_ATTEMPTS, {
                endpointId,
                since: since - SENT_WITHIN_MS,
                sentSince: since,
                now,
              })?.count ?? 0,
          )
          .reduce((sum, count) => sum + count, 0),
      ),
  };
}

interface Standing {
  readonly name: string;
  readonly sha256: string;
  readonly state: DocumentState;
  readonly endpointId: number;
  readonly attemptOpen: number;
}

function standing(sql: Sql, id: number): Standing {
  const row = sql.get<Standing>(SQL.DOCUMENT_STANDING, { id });
  if (!row) throw documentUnknown(id);
  return row;
}

/**
 * Requires a document that is queued, or between two attempts of one upload (a 401 and its replay): no request is in
 * progress.
 */
function idle(sql: Sql, id: number, wanted: 'upload' | 'postpone' | 'lose'): Standing {
  const row = standing(sql, id);
  if (row.state === 'queued' || (row.state === 'uploading' && row.attemptOpen === 0)) return row;
  throw wrongState(row.name, row.state, wanted);
}

function recover(sql: Transaction, at: number): number {
  const rows = sql.all<{ id: number; attemptId: number | null }>(SQL.UPLOADING);
  for (const { id, attemptId } of rows) {
    if (attemptId !== null) {
      const end = { outcome: 'unknown' as const, httpStatus: null, message: INTERRUPTED };
      sql.emit({ kind: 'ended', attempt: attemptId, document: id, ...end }, at);
    }
    const flags = { answerLost: attemptId !== null, serverError: false };
    const why = { notBefore: 0, reason: 'INTERRUPTED', message: INTERRUPTED };
    const move = besideResults(sql, id, { state: 'queued', how: 'later', ...why, ...flags });
    sql.emit({ kind: 'moved', documents: [id], ...move }, at);
  }
  return rows.length;
}

function endAttempt(
  sql: Transaction,
  attemptId: number,
  end: { at: number; outcome: AttemptOutcome; httpStatus: number | null; message: string | null },
): { documentId: number; hasResults: boolean } {
  const open = sql.get<{ documentId: number; hasResults: number }>(SQL.OPEN_ATTEMPT, { id: attemptId });
  if (!open) throw new ReceiptdError('DOCUMENT_STATE.notUnderWay', { attempt: attemptId });
  const { at, outcome, httpStatus, message } = end;
  const { documentId, hasResults } = open;
  sql.emit({ kind: 'ended', attempt: attemptId, document: documentId, outcome, httpStatus, message }, at);
  return { documentId, hasResults: hasResults === 1 };
}

function queueAtEnd(sql: Transaction, { documentIds, reason, message }: Requeue, at: number): void {
  for (const id of documentIds) {
    const { state, endpointId } = standing(sql, id);
    if (state !== 'failed' && state !== 'queued') continue;
    const { line } = nextNumbers(sql, endpointId);
    const move = { state: 'queued', how: 'atEnd', line, reason, message } as const;
    sql.emit({ kind: 'moved', documents: [id], ...move }, at);
  }
}

function endpointIds(sql: Sql, endpoint: EndpointKey | null): number[] {
  if (endpoint === null) return sql.all<{ id: number }>(ALL_ENDPOINTS).map(({ id }) => id);
  const id = endpointIdOf(sql, endpoint);
  return id === undefined ? [] : [id];
}
