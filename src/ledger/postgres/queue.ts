import type { EndpointKey } from '../../core/domain/document.ts';
import { isOfLedger, ReceiptdError } from '../../core/domain/errors.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { LedgerQueue, Requeue } from '../../core/ports/ledgerQueue.ts';
import { Claims } from './claims.ts';
import { moveOf } from '../moves.ts';
import { relativePath, toIdentity, type IdentityRow, type LocationRow } from '../rows.ts';
import { documentOf, type PlacedRow } from './documents.ts';
import { besideResults } from './results.ts';
import { SOURCES } from './sql/disposals.ts';
import { RETRIABLE_AFTER } from './sql/documents.ts';
import * as SQL from './sql/queue.ts';
import type { Store } from './store.ts';
import type { Transaction } from './transaction.ts';
import type { Underway } from './underway.ts';
import {
  beginAll,
  endAttempts,
  finishAll,
  idle,
  interrupt,
  markLost,
  ownEnd,
  putBack,
  queueAtEnd,
  type Beginning,
  type End,
} from './uploads.ts';

/**
 * A request leaves once its start is committed, which a slow server may delay; after this time, no request leaves any
 * more.
 */
const SENT_WITHIN_MS = 10 * 60_000;

const INTERRUPTED = 'receiptd stopped while this was being sent. It may have arrived, and is sent again.';
const FORGOTTEN =
  "The outcome of this upload was lost with the ledger's server. It may have arrived, and is sent again.";

export function createQueue(store: Store, underway: Underway, clock: Pick<Clock, 'now'>): LedgerQueue {
  const { places } = store;
  const claims = new Claims(store);

  /** Ends the claim only once the change is durable: until then the row still looks claimed. */
  const moveClaimed = async (id: number, work: (sql: Transaction) => Promise<void>): Promise<void> => {
    await store.write(work);
    claims.forget([id]);
    underway.over(id);
  };
  /** Keeps the request if the ledger fails, since the caller then retries. */
  const ending = async (attempt: number, write: () => Promise<unknown>): Promise<void> => {
    try {
      await write();
    } catch (error) {
      if (!isOfLedger(error)) underway.ended(attempt);
      throw error;
    }
  };
  const begin = store.batch((sql: Transaction, uploads: readonly Beginning[]) =>
    beginAll(sql, uploads, underway),
  );
  const finish = store.batch((sql: Transaction, ends: readonly End[]) => finishAll(sql, ends, underway));
  /** Not batched: it takes positions at the end of the queue, as admissions do, and must not run beside them. */
  const finishAndQueue = (end: End, requeue: Requeue) =>
    store.write(async (sql) => {
      await finishAll(sql, [end], underway);
      await queueAtEnd(sql, requeue, end.result.at);
    });
  store.onBack(() => {
    const isForgotten = (id: number): boolean => !underway.has(id);
    // If this fails, the link fails too, and is reopened.
    store
      .write((sql) => putBack(sql, sql.session.agentId, FORGOTTEN, clock.now(), isForgotten))
      .catch(() => {});
  });

  return {
    async recover(at) {
      const interrupted = await store.write((sql) => interrupt(sql, sql.session.agentId, INTERRUPTED, at));
      claims.forgetAll();
      underway.clear();
      return interrupted;
    },

    claim: (query) => claims.take(query),

    release: (documentIds) => claims.drop(documentIds),

    async begin(documentId, at, bytes) {
      const upload: Beginning = { documentId, at, bytes, attempt: null };
      try {
        const attempt = await begin(upload);
        if (attempt === null) throw new ReceiptdError('DOCUMENT_HELD');
        claims.forget([documentId]);
        return attempt;
      } catch (error) {
        if (upload.attempt !== null) underway.ended(upload.attempt);
        throw error;
      }
    },

    finish: async (attemptId, result, requeue) => {
      const end = { attemptId, result };
      await ending(attemptId, () => (requeue ? finishAndQueue(end, requeue) : finish(end)));
      underway.ended(attemptId);
    },

    // The document stays in progress.
    finishReplayed: (attemptId, at, httpStatus, message) =>
      ending(attemptId, () =>
        store.write((sql) =>
          endAttempts(sql, [ownEnd(underway, attemptId, { at, outcome: 'trouble', httpStatus, message })]),
        ),
      ),

    postpone: (id, notBefore, reason, message, at) =>
      moveClaimed(id, async (sql) => {
        await idle(sql, [id], 'postpone');
        const flags = { answerLost: false, serverError: false };
        const move = moveOf({ state: 'queued', notBefore, reason, message, ...flags });
        sql.emit({ kind: 'moved', documents: [id], ...(await besideResults(sql, id, move)) }, at);
      }),

    markLost: (id, message, at, newestSeen = Infinity) =>
      moveClaimed(id, (sql) => markLost(sql, id, message, at, { newestSeen, reached: places.reached })),

    waiting: (afterId, limit) =>
      store.read(async (sql) => {
        const params = { afterId, limit, agentId: store.membership.session.agentId };
        const rows = await sql.all<PlacedRow>(SQL.WAITING_DOCUMENTS, params);
        return rows.map((row) => documentOf(places, row));
      }),

    retriable: (afterId, limit, at) =>
      store.read(async (sql) => {
        const rows = await sql.all<{ id: number }>(RETRIABLE_AFTER, { afterId, limit, at });
        return rows.map(({ id }) => id);
      }),

    wanted: (sha256s, failedSince) =>
      store.read(async (sql) => {
        const rows = await Promise.all([
          sql.all<{ sha256: string }>(SQL.WANTED, { sha256s, failedSince }),
          sql.all<{ sha256: string }>(SQL.WANTED_FILES, { sha256s }),
        ]);
        return new Set(rows.flat().map(({ sha256 }) => sha256));
      }),

    nextDue: ({ baseUrl, uid }, now) =>
      store.read(async (sql) => {
        const params = { baseUrl, uid, now, reached: places.reached };
        return (await sql.get<{ notBefore: number | null }>(SQL.NEXT_DUE_TIME, params))?.notBefore ?? null;
      }),

    sources: (sha256) =>
      store.read(async (sql) => {
        const params = { sha256, reached: places.reached };
        const rows = await sql.all<SourceRow>(SOURCES, params);
        return rows.map((row) => ({
          folder: places.toFolder(row.place, row.folder),
          path: relativePath(row),
          identity: toIdentity(row),
          archivedTo: row.archivedTo,
          sighting: row.sighting,
        }));
      }),

    attemptTimes: (endpoint, since, limit) =>
      store.read(async (sql) => {
        const params = { ...requestsOf(endpoint), since: since - SENT_WITHIN_MS, limit };
        return (await sql.all<{ sentBy: number }>(SQL.ATTEMPT_TIMES, params))
          .map(({ sentBy }) => sentBy)
          .filter((sentBy) => sentBy > since)
          .sort((a, b) => b - a)
          .slice(0, limit);
      }),

    countAttempts: (endpoint, since, now) =>
      store.read(async (sql) => {
        const params = { ...requestsOf(endpoint), since: since - SENT_WITHIN_MS, sentSince: since, now };
        return (await sql.get<{ count: number }>(SQL.COUNT_ATTEMPTS, params))?.count ?? 0;
      }),
  };

  function requestsOf(endpoint: EndpointKey | null) {
    const { agentId } = store.membership.session;
    return { agentId, baseUrl: endpoint?.baseUrl ?? null, uid: endpoint?.uid ?? null };
  }
}

interface SourceRow extends IdentityRow, LocationRow {
  readonly place: string;
  readonly sighting: number;
  readonly archivedTo: string | null;
}
