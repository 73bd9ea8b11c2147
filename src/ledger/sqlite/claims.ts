import type { Document, Lane } from '../../core/domain/document.ts';
import { requireDocument } from './documents.ts';
import { DUE_IN_FOLDER, NEXT_DUE_FOLDER } from './sql/queue.ts';
import type { Sql } from './statements.ts';

/**
 * Which documents this process has claimed, and whose turn it is. In memory only: a claim ends with the process, or with
 * the pipeline that made it.
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

  /** Claims due documents: each folder's in order of arrival, one folder after the other in turn. */
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
    return taken.map((id) => requireDocument(sql, id));
  }

  /** Folder ids in ascending order, begun after the one that was served last. */
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
      .all<{ id: number }>(DUE_IN_FOLDER, { ...line, folderId, limit: limit + claimedHere })
      .map(({ id }) => id)
      .filter((id) => !this.#folderOf.has(id))
      .slice(0, limit);
  }
}

export function dueFolders(sql: Sql, line: { readonly endpointId: number; readonly lane: Lane }): number[] {
  const folders: number[] = [];
  for (;;) {
    const row = sql.get<{ folderId: number }>(NEXT_DUE_FOLDER, { ...line, after: folders.at(-1) ?? 0 });
    if (!row) return folders;
    folders.push(row.folderId);
  }
}
