import type { Document } from '../../core/domain/document.ts';
import { BACKLOG, FRESH } from '../../core/messages.ts';
import type { ClaimQuery } from '../../core/ports/ledgerQueue.ts';
import type { Shared } from './shared.ts';
import type { HeadsWanted, QueueHead } from '../reads/queue.ts';

/** Of larger fleets, agents find theirs a little later. */
const MOST_SHARES = 16;

/**
 * Temporary, like the port that it serves: which documents this process has claimed, and which folder is next. A claim ends with the process, or with
 * the pipeline that made it.
 *
 *   due ──take──▶ claimed ──drop──▶ due, or uploading
 */
export class Claims {
  readonly #heads: (wanted: HeadsWanted) => Promise<readonly QueueHead[]>;
  readonly #fleet: Pick<Shared, 'isTurn' | 'running'> | null;
  readonly #claimed = new Map<number, Document>();
  #turn: Promise<unknown> = Promise.resolve();
  /** The folder served last, by endpoint and lane. */
  readonly #lastServed = new Map<string, string>();

  constructor(
    heads: (wanted: HeadsWanted) => Promise<readonly QueueHead[]>,
    fleet: Pick<Shared, 'isTurn' | 'running'> | null,
  ) {
    this.#heads = heads;
    this.#fleet = fleet;
  }

  /** While it is claimed. */
  document(id: number): Document | undefined {
    return this.#claimed.get(id);
  }

  has(documentId: number): boolean {
    return this.#claimed.has(documentId);
  }

  drop(documentIds: readonly number[]): void {
    for (const id of documentIds) this.#claimed.delete(id);
  }

  dropAll(): void {
    this.#claimed.clear();
  }

  /** Claims due documents: in their order within a folder, folders in turn. One at a time, so that none is claimed twice. */
  take(query: ClaimQuery): Promise<readonly Document[]> {
    const turn = this.#turn.then(() => this.#take(query));
    this.#turn = turn.catch(() => {});
    return turn;
  }

  async #take(query: ClaimQuery): Promise<readonly Document[]> {
    const turn = `${query.endpoint.baseUrl} ${query.endpoint.uid} ${query.lane}`;
    const last = this.#lastServed.get(turn) ?? '';
    const queues = (await this.#queues(query)).toSorted(
      (a, b) => Number(a.folder <= last) - Number(b.folder <= last) || (a.folder < b.folder ? -1 : 1),
    );
    const waiting = queues.map(({ folder, documents }) => ({
      folder,
      documents: this.#inTurn(documents.filter(({ id }) => !this.#claimed.has(id))),
    }));
    const taken: Document[] = [];
    for (let round = 0; taken.length < query.limit; round += 1) {
      const before = taken.length;
      for (const { folder, documents } of waiting) {
        const document = documents[round];
        if (document === undefined || taken.length >= query.limit) continue;
        taken.push(document);
        this.#claimed.set(document.id, document);
        this.#lastServed.set(turn, folder);
      }
      if (taken.length === before) break;
    }
    return taken;
  }

  /** Those of other agents only when there are no others: `begin` decides. */
  #inTurn(documents: readonly Document[]): readonly Document[] {
    const own = documents.filter((document) => this.#fleet?.isTurn(document) !== false);
    return own.length > 0 ? own : documents;
  }

  /** Fresh documents that waited too long are backlog. */
  async #queues(query: ClaimQuery): Promise<readonly QueueHead[]> {
    const { endpoint, lane, now, exceptFolders, freshSince, longestWaitMs } = query;
    const limit = (query.limit + this.#claimed.size) * Math.min(this.#fleet?.running ?? 1, MOST_SHARES);
    const wanted = { endpoint, now, latest: now + longestWaitMs, exceptFolders, limit };
    if (lane === 'fresh') return this.#heads({ ...wanted, priority: FRESH, createdSince: freshSince });
    const [stale, backlog] = [
      await this.#heads({ ...wanted, priority: FRESH, createdBefore: freshSince }),
      await this.#heads({ ...wanted, priority: BACKLOG }),
    ];
    const folders = new Map<string, Document[]>();
    for (const { folder, documents } of [...stale, ...backlog])
      folders.set(folder, [...(folders.get(folder) ?? []), ...documents]);
    return [...folders].map(([folder, documents]) => ({
      folder,
      documents: documents.map(asBacklog).sort((a, b) => a.createdAt - b.createdAt || a.id - b.id),
    }));
  }
}

function asBacklog(document: Document): Document {
  return document.lane === 'backlog' ? document : { ...document, lane: 'backlog' };
}
