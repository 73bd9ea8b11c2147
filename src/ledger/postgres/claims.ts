import { endpointId, type Document } from '../../core/domain/document.ts';
import type { ClaimQuery } from '../../core/ports/ledgerQueue.ts';
import { documentOf, type PlacedRow } from './documents.ts';
import { DOCUMENTS_BY_ID } from './sql/documents.ts';
import * as SQL from './sql/queue.ts';
import type { Sql } from './statements.ts';
import type { Store } from './store.ts';

/** Most documents that one step makes due, so that no step takes long. */
const DUE_AT_ONCE = 1_000;
/** How many documents at the head of each folder's queue one step examines for ones that are no longer fresh. */
const STALE_AT_ONCE = 1_000;
/** How often to look for claims that were marked although their answer was lost. */
const ASK_EVERY_MS = 60_000;

/**
 * Which documents this agent has claimed, and which folder is next. A claim is marked in the document's row, for other
 * agents, and remembered here, so that one whose answer was lost is found:
 *
 *   due ──take──▶ claimed ──begin, or moved──▶ uploading, or waiting
 *                    └──drop, fenced, or the agent stops──▶ due
 */
export class Claims {
  readonly #store: Store;
  readonly #held = new Set<number>();
  /** The folder served last, by endpoint and lane. */
  readonly #lastServed = new Map<string, number>();
  #turn: Promise<unknown> = Promise.resolve();
  #isUncertain = false;
  #askedAt = performance.now();

  constructor(store: Store) {
    this.#store = store;
    store.onFenced(() => this.forgetAll());
  }

  /** Forgets claims that ended; their rows are already updated. */
  forget(documentIds: readonly number[]): void {
    for (const id of documentIds) this.#held.delete(id);
  }

  forgetAll(): void {
    this.#held.clear();
  }

  async drop(documentIds: readonly number[]): Promise<void> {
    this.forget(documentIds);
    if (documentIds.length === 0) return;
    const { agentId } = this.#store.membership.session;
    await this.#next(() => this.#certain((sql) => sql.run(SQL.RELEASE, { ids: documentIds, agentId })));
  }

  /** Claims due documents: in order of arrival within a folder, folders in turn. */
  async take(query: ClaimQuery): Promise<readonly Document[]> {
    return this.#next(() => this.#take(query));
  }

  /** Serialized: which folder is next, and which rows are known to be marked, depends on the previous claim. */
  async #next<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#turn.then(work);
    this.#turn = mine.catch(() => {});
    return mine;
  }

  async #take(query: ClaimQuery): Promise<Document[]> {
    const { endpoint, lane, limit } = query;
    const { places, membership } = this.#store;
    const { agentId, epoch } = membership.session;
    const turn = `${endpointId(endpoint)} ${lane}`;
    const except = query.exceptFolders.map((folder) => places.ofFolder(folder));
    const claim = {
      agentId,
      epoch,
      baseUrl: endpoint.baseUrl,
      uid: endpoint.uid,
      lane,
      limit,
      served: this.#lastServed.get(turn) ?? 0,
      reached: places.reached,
      exceptPlaces: except.map(({ place }) => place),
      exceptPaths: except.map(({ folder }) => folder),
    };
    await this.#makeDue(query);
    if (this.#askedAt + ASK_EVERY_MS < performance.now()) this.#isUncertain = true;
    return this.#certain(async (sql) => {
      const rows = await sql.all<{ document: number; folder: number }>(SQL.CLAIM, claim);
      if (rows.length === 0) return [];
      const ids = inTurn(rows);
      const found = await sql.all<PlacedRow>(DOCUMENTS_BY_ID, { ids });
      const byId = new Map(found.map((row) => [row.id, documentOf(places, row)]));
      const last = rows.find(({ document }) => document === ids.at(-1));
      if (last) this.#lastServed.set(turn, last.folder);
      for (const id of ids) this.#held.add(id);
      return ids.flatMap((id) => byId.get(id) ?? []);
    });
  }

  /**
   * Documents that are due have `not_before` 0. One that waits for a time is set to 0 by the first claim after it, so
   * that a claim walks one index in order of arrival. Documents that are no longer fresh leave the fresh queue before
   * the first claim: otherwise they would be sent before their turn.
   */
  async #makeDue({ endpoint, lane, now, freshSince, longestWaitMs }: ClaimQuery): Promise<void> {
    const { places, membership } = this.#store;
    const of = { baseUrl: endpoint.baseUrl, uid: endpoint.uid, reached: places.reached };
    await this.#store.read(async (sql) => {
      const moveStale = async (): Promise<void> => {
        const stale = { ...of, freshSince, limit: STALE_AT_ONCE };
        while ((await sql.run(SQL.STALE_TO_BACKLOG, stale)) >= STALE_AT_ONCE);
      };
      const { agentId } = membership.session;
      const due = { ...of, agentId, now, latest: now + longestWaitMs, limit: DUE_AT_ONCE };
      await Promise.all([sql.run(SQL.MAKE_DUE, due), ...(lane === 'fresh' ? [moveStale()] : [])]);
    });
  }

  /** After a claim that failed or was repeated, first releases rows that are marked but unknown here. */
  async #certain<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    return this.#store.read(async (sql) => {
      if (this.#isUncertain) {
        const { agentId } = this.#store.membership.session;
        await sql.run(SQL.RELEASE_OTHERS, { agentId, ids: [...this.#held] });
        this.#askedAt = performance.now();
      }
      this.#isUncertain = true;
      const value = await work(sql);
      this.#isUncertain = false;
      return value;
    });
  }
}

/** Rows are in order of arrival within each folder: takes the first of each folder, then the second of each, and so on. */
function inTurn(rows: readonly { readonly document: number; readonly folder: number }[]): number[] {
  const byFolder = new Map<number, number[]>();
  for (const { document, folder } of rows) {
    const own = byFolder.get(folder) ?? [];
    own.push(document);
    byFolder.set(folder, own);
  }
  const ids: number[] = [];
  for (let round = 0; ids.length < rows.length; round += 1) {
    for (const own of byFolder.values()) {
      const id = own[round];
      if (id !== undefined) ids.push(id);
    }
  }
  return ids;
}
