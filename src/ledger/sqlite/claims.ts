import type { Document, Lane } from '../../core/domain/document.ts';
import type { LedgerQueue } from '../../core/ports/ledgerQueue.ts';
import { toDocument, type DocumentRow } from '../rows.ts';
import { endpointIdOf, folderIdOf } from './ids.ts';
import { DOCUMENTS_BY_ID } from './sql/documents.ts';
import * as SQL from './sql/queue.ts';
import type { Sql } from './statements.ts';
import type { Store } from './store.ts';

/** Most documents that one claim makes due, so that the end of an outage doesn't block the event loop. */
const MAKE_DUE_LIMIT = 1_000;

/**
 * Which documents this process has claimed, and which folder is next. In memory only: a claim ends with the process, or
 * with the pipeline that made it.
 *
 *   due ──take──▶ claimed ──drop──▶ due, or uploading
 */
export class Claims {
  readonly #folderOf = new Map<number, number>();
  /** The folder served last, by endpoint and lane. */
  readonly #lastServed = new Map<string, number>();

  has(documentId: number): boolean {
    return this.#folderOf.has(documentId);
  }

  drop(documentIds: readonly number[]): void {
    for (const id of documentIds) this.#folderOf.delete(id);
  }

  dropAll(): void {
    this.#folderOf.clear();
  }

  /** Claims due documents: in order of arrival within a folder, folders in turn. */
  take(
    sql: Sql,
    line: { readonly endpointId: number; readonly lane: Lane },
    limit: number,
    exceptFolders: ReadonlySet<number>,
  ): Document[] {
    const turn = `${line.endpointId} ${line.lane}`;
    const folders = this.#inTurn(dueFolders(sql, line), this.#lastServed.get(turn))
      .filter((folderId) => !exceptFolders.has(folderId))
      .map((folderId) => ({ folderId, ids: this.#unclaimed(sql, line, folderId, limit) }));

    const taken: number[] = [];
    for (let round = 0; taken.length < limit; round += 1) {
      const before = taken.length;
      for (const { folderId, ids } of folders) {
        const id = ids[round];
        if (id === undefined || taken.length >= limit) continue;
        taken.push(id);
        this.#folderOf.set(id, folderId);
        this.#lastServed.set(turn, folderId);
      }
      if (taken.length === before) break;
    }
    const rows = sql.all<DocumentRow>(DOCUMENTS_BY_ID, { ids: JSON.stringify(taken) });
    const byId = new Map(rows.map((row) => [row.id, toDocument(row)]));
    return taken.flatMap((id) => byId.get(id) ?? []);
  }

  /** Folder ids in ascending order, starting after the one served last. */
  #inTurn(folderIds: readonly number[], last: number | undefined): readonly number[] {
    const start = folderIds.findIndex((id) => last !== undefined && id > last);
    return start < 0 ? folderIds : [...folderIds.slice(start), ...folderIds.slice(0, start)];
  }

  #unclaimed(
    sql: Sql,
    line: { readonly endpointId: number; readonly lane: Lane },
    folderId: number,
    limit: number,
  ): number[] {
    let claimedHere = 0;
    for (const claimedFolder of this.#folderOf.values()) if (claimedFolder === folderId) claimedHere += 1;
    return sql
      .all<{ id: number }>(SQL.DUE_IN_FOLDER, { ...line, folderId, limit: limit + claimedHere })
      .map(({ id }) => id)
      .filter((id) => !this.#folderOf.has(id))
      .slice(0, limit);
  }
}

function dueFolders(sql: Sql, line: { readonly endpointId: number; readonly lane: Lane }): number[] {
  const folders: number[] = [];
  for (;;) {
    const row = sql.get<{ folderId: number }>(SQL.NEXT_DUE_FOLDER, { ...line, after: folders.at(-1) ?? 0 });
    if (!row) return folders;
    folders.push(row.folderId);
  }
}

/** Writes that a claim needs before it takes anything. */
export interface LineWrites {
  /** Makes documents due whose waiting time is over. */
  readonly makeDue: (ids: readonly number[], now: number, latest: number) => Promise<void>;
  readonly toBacklog: (ids: readonly number[]) => Promise<void>;
}

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

/**
 * Documents that are due have `not_before` 0. One that waits for a time is set to 0 by the first claim after it, so
 * that a claim walks one index in order of arrival and never steps over the thousands of documents that an outage left
 * waiting. `store` is only read.
 */
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

/** Moves all of them before the first is claimed: one left in the fresh queue would be sent before its turn. */
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

/** The head of each folder's fresh queue: documents that have waited too long to be fresh. */
function staleFresh(sql: Sql, query: { endpointId: number; freshSince: number }): number[] {
  return dueFolders(sql, { endpointId: query.endpointId, lane: 'fresh' }).flatMap((folderId) =>
    sql.all<{ id: number }>(SQL.STALE_IN_FOLDER, { ...query, folderId }).map(({ id }) => id),
  );
}
