import type { AttemptOutcome, DocumentState, EndpointKey } from '../../core/domain/document.ts';
import { firstOf, inOrder } from '../pageRows.ts';
import { ReceiptdError } from '../../core/domain/errors.ts';
import type { Disposal, LedgerQueue, Requeue } from '../../core/ports/ledger.ts';
import type { OriginalsRule } from '../../core/ports/ledgerReports.ts';
import { Claims, dueFolders } from './claims.ts';
import { documentUnknown, wrongState } from '../documentErrors.ts';
import { moveOf } from '../moves.ts';
import { besideResults } from './results.ts';
import {
  identityParams,
  relativePath,
  toDocument,
  toIdentity,
  type DocumentRow,
  type IdentityRow,
  type PlaceRow,
} from '../rows.ts';
import { endpointIdOf, folderIdOf } from './places.ts';
import { nextId } from './sightings.ts';
import * as DISPOSALS from './sql/disposals.ts';
import { RETRIABLE_AFTER } from './sql/documents.ts';
import { ALL_ENDPOINTS, NEXT_NUMBERS } from './sql/endpoints.ts';
import * as SQL from './sql/queue.ts';
import * as SIGHTINGS from './sql/sightings.ts';
import type { Sql } from './statements.ts';
import type { Store, Transaction } from './store.ts';

/** How many documents one claim makes due at most, so that an outage's end doesn't block the event loop. */
const MAKE_DUE_LIMIT = 1_000;
/** A request leaves once its beginning is committed, which a slow disk may hold up; later than that, none does. */
const SENT_WITHIN_MS = 10 * 60_000;

const INTERRUPTED = 'The program ended while this was being sent; it may have arrived, and is sent again.';

/**
 * `not_before` is 0 for what is due. What waits for a time is moved to 0 by the first claim after it, so that a
 * claim walks one index in order of arrival, and never steps over the thousands that an outage left waiting.
 */
export function createQueue(store: Store): LedgerQueue {
  const claims = new Claims();

  /** Ends the claim only once its change is durable: until then the row still looks due. */
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
        const { nextAttempt: attempt } = idle(sql, id, 'be uploaded');
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
        idle(sql, id, 'be postponed');
        const flags = { answerLost: false, serverError: false };
        const move = besideResults(
          sql,
          id,
          moveOf({ state: 'queued', notBefore, reason, message, ...flags }),
        );
        sql.emit({ kind: 'moved', documents: [id], ...move }, at);
      }),

    markLost: (id, message, at) =>
      writeClaimed([id], (sql) => {
        idle(sql, id, 'be lost');
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
          .all<IdentityRow & PlaceRow & { archivedTo: string | null }>(DISPOSALS.SOURCES, { sha256 })
          .map((row) => ({
            folder: row.folder,
            path: relativePath(row),
            identity: toIdentity(row),
            archivedTo: row.archivedTo,
          })),
      ),

    setOriginalsRule: (folder, rule, existing, at) =>
      store.write((sql) => {
        const current = sql.get<OriginalsRule>(DISPOSALS.ORIGINALS_RULE, { folder });
        if (current?.rule === rule) return current;
        const first =
          existing === 'new'
            ? firstOf(FIRST_OF.map((text) => sql.get<{ id: number }>(text, { folder })))
            : undefined;
        const seen = first !== undefined ? first - 1 : nextId(sql, SIGHTINGS.LAST_SIGHTING_ID);
        const stays = existing === 'include' ? 0 : seen;
        sql.emit({ kind: 'originals', folder, rule, stays }, at);
        return { rule, stays };
      }),

    toDispose: (folder, { afterSightingId: after, limit, stays, statuses }) =>
      store.read((sql) => {
        const params = { folder, after, limit, stays };
        const rows =
          statuses === null
            ? DISPOSABLE.map((text) => sql.all<DisposalRow>(text, params))
            : DISPOSABLE_ON.map((text) =>
                sql.all<DisposalRow>(text, { ...params, statuses: JSON.stringify(statuses) }),
              );
        return inOrder(rows, limit).map((row) => toDisposal(folder, row));
      }),

    disposing: (sighting, how, at) =>
      store.write((sql) => sql.emit({ kind: 'disposing', sighting, how }, at)),

    begunDisposals: (folder) =>
      store.read((sql) =>
        sql
          .all<DisposalRow & { how: 'archived' | 'deleted' }>(DISPOSALS.BEGUN_DISPOSALS, { folder })
          .map((row) => ({
            ...toDisposal(folder, row),
            how: row.how,
          })),
      ),

    disposed: (sighting, how, archivedTo, at) =>
      store.write((sql) => sql.emit({ kind: 'disposed', sighting, how, archivedTo }, at)),

    keepOriginal: ({ sightingId: sighting, file }, at) =>
      store.write((sql) => {
        const seen = { id: sighting, ...identityParams(file.identity) };
        if (sql.get(SIGHTINGS.IS_AS_SEEN, seen))
          sql.emit({ kind: 'disposed', sighting, how: 'kept', archivedTo: null }, at);
      }),

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
              sql.get<{ count: number }>(SQL.COUNT_ATTEMPTS, { endpointId, since, now })?.count ?? 0,
          )
          .reduce((sum, count) => sum + count, 0),
      ),
  };
}

interface DisposalRow extends IdentityRow {
  readonly id: number;
  readonly dir: string;
  readonly name: string;
  readonly sha256: string;
}

function toDisposal(folder: string, row: DisposalRow): Disposal {
  const file = { folder, path: relativePath(row), identity: toIdentity(row) };
  return { sightingId: row.id, file, sha256: row.sha256 };
}

/** What a claim has to write before it takes anything. */
export interface LineWrites {
  /** These wait for a time that has come. */
  readonly makeDue: (ids: readonly number[], now: number, latest: number) => Promise<void>;
  readonly toBacklog: (ids: readonly number[]) => Promise<void>;
}

const FIRST_OF = [DISPOSALS.FIRST_SEEN, DISPOSALS.FIRST_SPLIT_SEEN];
const DISPOSABLE = [DISPOSALS.DISPOSABLE, DISPOSALS.DISPOSABLE_SPLIT];
const DISPOSABLE_ON = [DISPOSALS.DISPOSABLE_ON, DISPOSALS.DISPOSABLE_SPLIT_ON];

export function lineWrites(store: Store): LineWrites {
  return {
    makeDue: (ids, now, latest) =>
      store.write((sql) => {
        for (const id of ids) sql.run(SQL.MAKE_DUE, { id, now, latest });
      }),
    toBacklog: (ids) =>
      store.write((sql) => {
        for (const id of ids) sql.run(SQL.TO_BACKLOG, { id });
      }),
  };
}

/** `store` is only read. */
export function createClaim(store: Store, claims: Claims, writes: LineWrites): LedgerQueue['claim'] {
  return async ({ endpoint, lane, limit, now, exceptFolders, freshSince, longestWaitMs }) => {
    const endpointId = await store.read((sql) => endpointIdOf(sql, endpoint));
    if (endpointId === undefined) return [];
    const latest = now + longestWaitMs;
    const due = { endpointId, now, latest, limit: Math.max(limit, MAKE_DUE_LIMIT) };
    const fallenDue = await store.read((sql) => sql.all<{ id: number }>(SQL.FALLEN_DUE, due));
    if (fallenDue.length > 0)
      await writes.makeDue(
        fallenDue.map(({ id }) => id),
        now,
        latest,
      );
    if (lane === 'fresh') await moveStale(store, writes, { endpointId, freshSince });
    return store.read((sql) => {
      const except = exceptFolders.flatMap((folder) => folderIdOf(sql, folder) ?? []);
      return claims.take(sql, { endpointId, lane }, limit, new Set(except));
    });
  };
}

/** All of them before the first is claimed: what is left in the fresh line would leave before its turn. */
async function moveStale(
  store: Store,
  writes: LineWrites,
  query: { endpointId: number; freshSince: number },
): Promise<void> {
  for (;;) {
    const stale = await store.read((sql) => staleFresh(sql, query));
    if (stale.length === 0) return;
    await writes.toBacklog(stale);
  }
}

/** The head of each folder's fresh line, as far as it has waited too long to be fresh. */
function staleFresh(sql: Sql, query: { endpointId: number; freshSince: number }): number[] {
  return dueFolders(sql, { endpointId: query.endpointId, lane: 'fresh' }).flatMap((folderId) =>
    sql.all<{ id: number }>(SQL.STALE_IN_FOLDER, { ...query, folderId }).map(({ id }) => id),
  );
}

interface Standing {
  readonly name: string;
  readonly state: DocumentState;
  readonly endpointId: number;
  readonly attemptOpen: number;
  readonly nextAttempt: number;
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
  if (!open)
    throw new ReceiptdError('DOCUMENT_STATE', `Upload request number ${attemptId} is not under way.`);
  const { at, outcome, httpStatus, message } = end;
  const { documentId, hasResults } = open;
  sql.emit({ kind: 'ended', attempt: attemptId, document: documentId, outcome, httpStatus, message }, at);
  return { documentId, hasResults: hasResults === 1 };
}

function queueAtEnd(sql: Transaction, { documentIds, reason, message }: Requeue, at: number): void {
  for (const id of documentIds) {
    const { state, endpointId } = standing(sql, id);
    if (state !== 'failed' && state !== 'queued') continue;
    const move = { state: 'queued', how: 'atEnd', line: nextLine(sql, endpointId), reason, message } as const;
    sql.emit({ kind: 'moved', documents: [id], ...move }, at);
  }
}

/** The last place in an endpoint's line; taken by the event that says so. */
function nextLine(sql: Sql, endpointId: number): number {
  const row = sql.get<{ line: number }>(NEXT_NUMBERS, { id: endpointId });
  if (!row) throw new Error('a document without its endpoint');
  return row.line;
}

function endpointIds(sql: Sql, endpoint: EndpointKey | null): number[] {
  if (endpoint === null) return sql.all<{ id: number }>(ALL_ENDPOINTS).map(({ id }) => id);
  const id = endpointIdOf(sql, endpoint);
  return id === undefined ? [] : [id];
}
