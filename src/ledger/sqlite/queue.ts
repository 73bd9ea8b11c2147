import type { AttemptOutcome, DocumentState, EndpointKey } from '../../domain/document.ts';
import { ReceiptdError } from '../../domain/errors.ts';
import type { LedgerQueue, Transition } from '../../ports/ledger.ts';
import { takeLine } from './admit.ts';
import { Claims } from './claims.ts';
import { documentUnknown, wrongState } from './documents.ts';
import { relativePath, toIdentity, type IdentityRow, type PlaceRow } from './rows.ts';
import { ALL_ENDPOINTS, ENDPOINT_BY_KEY } from './sql/endpoints.ts';
import * as SQL from './sql/queue.ts';
import * as SIGHTINGS from './sql/sightings.ts';
import type { Sql, Store } from './store.ts';

/** How many documents one claim makes due at most, so that an outage's end doesn't block the event loop. */
const MAKE_DUE_LIMIT = 1_000;

const INTERRUPTED = 'The program ended while this was being sent; it may have arrived, and is sent again.';

/**
 * `not_before` is 0 for what is due. What waits for a time is moved to 0 by the first claim after it, so that a
 * claim walks one index in order of arrival, and never steps over the thousands that an outage left waiting.
 */
export function createQueue(store: Store): LedgerQueue {
  const claims = new Claims();

  /** Ends the claim only once its change is durable: until then the row still looks due. */
  const writeClaimed = async <T>(documentIds: readonly number[], work: (sql: Sql) => T): Promise<T> => {
    const value = await store.write(work);
    claims.drop(documentIds);
    return value;
  };

  return {
    recover: (at) => store.write((sql) => recover(sql, at)),

    async claim({ endpoint, lane, limit, now, exceptFolders }) {
      const endpointId = await store.read((sql) => endpointIdOf(sql, endpoint));
      if (endpointId === undefined) return [];
      const due = { endpointId, now, limit: Math.max(limit, MAKE_DUE_LIMIT) };
      const fallenDue = await store.read((sql) => sql.all<{ id: number }>(SQL.FALLEN_DUE, due));
      if (fallenDue.length > 0) {
        await store.write((sql) => {
          for (const { id } of fallenDue) sql.run(SQL.MAKE_DUE, { id, now });
        });
      }
      return store.read((sql) => {
        const except = exceptFolders.flatMap((folder) => sql.all<{ id: number }>(SQL.FOLDER_ID, { folder }));
        return claims.take(sql, { endpointId, lane }, limit, new Set(except.map(({ id }) => id)));
      });
    },

    async release(documentIds) {
      claims.drop(documentIds);
    },

    begin: (id, at, bytes) =>
      writeClaimed([id], (sql) => {
        const { endpointId } = idle(sql, id, 'be uploaded');
        sql.run(SQL.BEGIN_UPLOAD, { id, at });
        return sql.insert(SQL.INSERT_ATTEMPT, { id, endpointId, at, bytes });
      }),

    finish: (attemptId, result) =>
      store.write((sql) => {
        const documentId = endAttempt(sql, attemptId, result);
        move(sql, documentId, result.transition, result.at);
      }),

    finishReplayed: (attemptId, at, httpStatus, message) =>
      store.write((sql) => void endAttempt(sql, attemptId, { at, outcome: 'refused', httpStatus, message })),

    postpone: (id, notBefore, reason, message, at) =>
      writeClaimed([id], (sql) => {
        idle(sql, id, 'be postponed');
        sql.run(SQL.QUEUE_LATER, {
          id,
          notBefore: wholeTime(notBefore),
          reason,
          message,
          answerLost: 0,
          serverError: 0,
          at,
        });
      }),

    markLost: (id, message, at) =>
      writeClaimed([id], (sql) => {
        idle(sql, id, 'be lost');
        sql.run(SQL.SETTLE, { id, state: 'lost', reason: 'BYTES_GONE', message, at });
      }),

    requeue: (documentIds, reason, message, at) =>
      store.write((sql) => {
        for (const id of documentIds) {
          const { state, endpointId } = standing(sql, id);
          if (state !== 'failed' && state !== 'queued') continue;
          sql.run(SQL.QUEUE_AT_END, { id, line: takeLine(sql, endpointId), reason, message, at });
        }
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
          .all<IdentityRow & PlaceRow & { archivedTo: string | null }>(SIGHTINGS.SOURCES, { sha256 })
          .map((row) => ({
            folder: row.folder,
            path: relativePath(row),
            identity: toIdentity(row),
            archivedTo: row.archivedTo,
          })),
      ),

    toDispose: (folder, after, limit) =>
      store.read((sql) =>
        sql
          .all<IdentityRow & { id: number; dir: string; name: string; sha256: string }>(
            SIGHTINGS.DISPOSABLE,
            {
              folder,
              after,
              limit,
            },
          )
          .map((row) => ({
            sightingId: row.id,
            file: { folder, path: relativePath(row), identity: toIdentity(row) },
            sha256: row.sha256,
          })),
      ),

    disposed: (id, how, archivedTo, at) =>
      store.write((sql) => void sql.run(SIGHTINGS.DISPOSED, { id, how, archivedTo, at })),

    attemptTimes: (endpoint, since, limit) =>
      store.read((sql) =>
        endpointIds(sql, endpoint)
          .flatMap((endpointId) =>
            sql.all<{ startedAt: number }>(SQL.ATTEMPT_TIMES, { endpointId, since, limit }),
          )
          .map(({ startedAt }) => startedAt)
          .sort((a, b) => b - a)
          .slice(0, limit),
      ),

    countAttempts: (endpoint, since) =>
      store.read((sql) =>
        endpointIds(sql, endpoint)
          .map(
            (endpointId) => sql.get<{ count: number }>(SQL.COUNT_ATTEMPTS, { endpointId, since })?.count ?? 0,
          )
          .reduce((sum, count) => sum + count, 0),
      ),
  };
}

interface Standing {
  readonly name: string;
  readonly state: DocumentState;
  readonly endpointId: number;
  readonly attemptOpen: number;
}

function standing(sql: Sql, id: number): Standing {
  const row = sql.get<Standing>(SQL.DOCUMENT_STANDING, { id });
  if (!row) throw documentUnknown(id);
  return row;
}

/** Queued, or between two attempts of one upload (a 401 and its replay); no request is under way. */
function idle(sql: Sql, id: number, wanted: string): Standing {
  const row = standing(sql, id);
  if (row.state === 'queued' || (row.state === 'uploading' && row.attemptOpen === 0)) return row;
  throw wrongState(row.name, row.state, wanted);
}

function recover(sql: Sql, at: number): number {
  const rows = sql.all<{ id: number; attemptId: number | null }>(SQL.UPLOADING);
  for (const { id, attemptId } of rows) {
    if (attemptId !== null) {
      sql.run(SQL.END_ATTEMPT, {
        id: attemptId,
        at,
        outcome: 'unknown',
        httpStatus: null,
        message: INTERRUPTED,
      });
    }
    sql.run(SQL.QUEUE_LATER, {
      id,
      notBefore: 0,
      reason: 'INTERRUPTED',
      message: INTERRUPTED,
      answerLost: attemptId === null ? 0 : 1,
      serverError: 0,
      at,
    });
  }
  return rows.length;
}

function endAttempt(
  sql: Sql,
  attemptId: number,
  end: { at: number; outcome: AttemptOutcome; httpStatus: number | null; message: string | null },
): number {
  const open = sql.get<{ documentId: number }>(SQL.OPEN_ATTEMPT, { id: attemptId });
  if (!open)
    throw new ReceiptdError('DOCUMENT_STATE', `Upload request number ${attemptId} is not under way.`);
  const { at, outcome, httpStatus, message } = end;
  sql.run(SQL.END_ATTEMPT, { id: attemptId, at, outcome, httpStatus, message });
  return open.documentId;
}

function move(sql: Sql, id: number, transition: Transition, at: number): void {
  switch (transition.state) {
    case 'accepted': {
      const { serviceStatus, response } = transition;
      sql.run(SQL.ACCEPT, { id, serviceStatus, response, at });
      return;
    }
    case 'failed':
    case 'unconfirmed': {
      const { state, reason, message } = transition;
      sql.run(SQL.SETTLE, { id, state, reason, message, at });
      return;
    }
    case 'queued': {
      const { notBefore, reason, message, answerLost, serverError } = transition;
      sql.run(SQL.QUEUE_LATER, {
        id,
        notBefore: wholeTime(notBefore),
        reason,
        message,
        answerLost: Number(answerLost),
        serverError: Number(serverError),
        at,
      });
    }
  }
}

/** Back-off with jitter ends between milliseconds, where an INTEGER column refuses it. */
function wholeTime(ms: number): number {
  return Math.max(0, Math.ceil(ms));
}

function endpointIdOf(sql: Sql, { baseUrl, uid }: EndpointKey): number | undefined {
  return sql.get<{ id: number }>(ENDPOINT_BY_KEY, { baseUrl, uid })?.id;
}

function endpointIds(sql: Sql, endpoint: EndpointKey | null): number[] {
  if (endpoint === null) return sql.all<{ id: number }>(ALL_ENDPOINTS).map(({ id }) => id);
  const id = endpointIdOf(sql, endpoint);
  return id === undefined ? [] : [id];
}
