import type { Document, Lane } from '../core/domain/document.ts';
import type { EndpointSettings } from '../core/domain/settings.ts';
import { BACKLOG, FRESH } from '../core/messages.ts';
import type { Clock } from '../core/ports/clock.ts';
import type { LedgerFleet } from '../core/ports/fleet.ts';
import type { LedgerQueue, QueueHead } from '../core/ports/ledgerQueue.ts';

const LANES: readonly Lane[] = ['fresh', 'backlog'];
/** Documents that are read at once, so that a free slot never waits for the ledger. */
const READ_AT_ONCE = 64;
/** Documents of a lane that are kept in memory if nothing else waits; the rest of the queue stays in the ledger. */
const MOST_KEPT = 512;
/** A fresh scan that has waited longer moves to the backlog, so that the backlog of an outage is sent in order of arrival. */
const FRESH_FOR_MS = 60_000;
/** The longest back-off of a document (a parked one). */
const LONGEST_WAIT_MS = 60 * 60_000;
/** Of larger fleets, agents find their share a little later. */
const MOST_SHARES = 16;

export interface QueueDeps {
  readonly ledger: Pick<LedgerQueue, 'heads' | 'nextDue'>;
  readonly fleet: Pick<LedgerFleet, 'isTurn' | 'running'> | null;
  readonly clock: Clock;
  /** Paused folders. */
  readonly pausedFolders: () => readonly string[];
  /** Whether a document is being sent, although the ledger may show it as queued. */
  readonly isUnderWay: (id: number) => boolean;
  /** How many are. */
  readonly underWay: () => number;
}

/**
 * One endpoint's part of the queue in memory. Each lane is
 *
 *   unknown ──look──▶ whole: all that is due is here ──more than fits──▶ part: the rest is read when these are gone
 *      ▲                └──something may have been queued elsewhere──┐               │
 *      └────────────────────────────────────────────────────────────┴───────────────┘
 */
export class Queue {
  readonly settings: EndpointSettings;
  readonly #deps: QueueDeps;
  readonly #fresh = new Turns();
  readonly #backlog = new Turns();
  /** Lanes found without any further document, and until when (monotonic) that need not be checked again. */
  readonly #whole = new Map<Lane, number>();
  /** Lanes in which a folder has something in the ledger, and nothing here. */
  readonly #lacking = new Set<Lane>();
  /** How far the wall clock was set back since a lane was read. */
  readonly #setBackMs = new Map<Lane, number>();
  /** Documents came while the ledger was asked, whose answer may lack them. */
  #isOutdated = false;
  /** Uploads that are neither accepted nor over. */
  inFlight = 0;
  /** Whether more uploads are being prepared, until there are enough. */
  isFilling = true;

  constructor(settings: EndpointSettings, deps: QueueDeps) {
    this.settings = settings;
    this.#deps = deps;
  }

  /** The next document, fresh lane first. Undefined before `look`, and while there is none. */
  get next(): Document | undefined {
    return this.#fresh.next ?? this.#backlog.next;
  }

  /** Removes the next document. */
  take(): void {
    (this.#fresh.size > 0 ? this.#fresh : this.#backlog).take();
  }

  /** A document was just queued. It is next here only while nothing else is due: what fell due meanwhile must not wait until no more come. */
  offer(document: Document): void {
    const { fleet, clock, pausedFolders } = this.#deps;
    const queued = this.#isLate(document) ? asBacklog(document) : document;
    const { lane } = queued;
    const until = this.#whole.get(lane) ?? -Infinity;
    this.#isOutdated = true;
    if (fleet === null && until > clock.monotonic() && this.#of(lane).size < MOST_KEPT)
      this.#of(lane).add(queued);
    else {
      this.#whole.delete(lane);
      if (!this.#of(lane).has(queued.folder) && !pausedFolders().includes(queued.folder))
        this.#lacking.add(lane);
    }
  }

  /** Whether `look` would ask the ledger. Fresh scans that have waited too long are read again, as backlog. */
  needsLook(): boolean {
    const { next } = this.#fresh;
    if (next !== undefined && this.#isLate(next)) this.forget();
    return this.#isAsked('fresh') || (this.#fresh.size === 0 && this.#isAsked('backlog'));
  }

  #isLate({ createdAt }: Document): boolean {
    return createdAt < this.#deps.clock.now() - FRESH_FOR_MS;
  }

  #isAsked(lane: Lane): boolean {
    if (this.#of(lane).size > 0) return this.#lacking.has(lane);
    return (this.#whole.get(lane) ?? 0) <= this.#deps.clock.monotonic();
  }

  /** Reads the next documents of lanes of which none is here, or none of a folder. */
  async look(): Promise<void> {
    for (const lane of LANES) {
      if (this.#isAsked(lane)) await this.#read(lane);
      if (this.#of(lane).size > 0) return;
    }
  }

  async #read(lane: Lane): Promise<void> {
    const { ledger, clock } = this.#deps;
    const now = clock.now();
    // What is no longer fresh belongs to the backlog now, which may have been found empty before.
    this.#whole.delete('backlog');
    this.#whole.delete(lane);
    this.#lacking.delete(lane);
    this.#isOutdated = false;
    const { heads, isWhole } = await this.#heads(lane, now);
    const turns = this.#of(lane);
    turns.add(...heads.flatMap(({ documents }) => documents));
    if (turns.size > 0 && !isWhole) return;
    const due = await ledger.nextDue(this.settings.key, now);
    if (this.#isOutdated) return;
    this.#whole.set(lane, due === null ? Infinity : clock.monotonic() + Math.max(0, due - now));
  }

  async #heads(lane: Lane, now: number): Promise<{ heads: readonly QueueHead[]; isWhole: boolean }> {
    const { ledger, fleet, pausedFolders, underWay, isUnderWay } = this.#deps;
    const limit = (READ_AT_ONCE + underWay()) * Math.min(fleet?.running ?? 1, MOST_SHARES);
    const latest = now + Math.min(LONGEST_WAIT_MS, this.#setBackMs.get(lane) ?? Infinity);
    const wanted = { endpoint: this.settings.key, now, latest, exceptFolders: pausedFolders(), limit };
    const since = now - FRESH_FOR_MS;
    const read =
      lane === 'fresh'
        ? await ledger.heads({ ...wanted, priority: FRESH, createdSince: since })
        : byFolder([
            ...(await ledger.heads({ ...wanted, priority: FRESH, createdBefore: since })),
            ...(await ledger.heads({ ...wanted, priority: BACKLOG })),
          ]);
    this.#setBackMs.delete(lane);
    const isWhole = fleet === null && read.every(({ documents }) => documents.length < limit);
    return {
      isWhole,
      heads: read.map(({ folder, documents }) => ({
        folder,
        documents: this.#inTurn(documents.filter(({ id }) => !isUnderWay(id))),
      })),
    };
  }

  /** Those of other agents only when there are no others: the beginning of the upload decides. */
  #inTurn(documents: readonly Document[]): readonly Document[] {
    const own = documents.filter((document) => this.#deps.fleet?.isTurn(document) !== false);
    return own.length > 0 ? own : documents;
  }

  /** Forgets the documents that are here: a pause, another agent, or their age may have changed what is next. */
  forget(): void {
    this.#fresh.clear();
    this.#backlog.clear();
    this.lookAgain();
  }

  /** Call when something may have been queued. */
  lookAgain(): void {
    this.#isOutdated = true;
    this.#whole.clear();
  }

  /** Milliseconds until a document falls due; null if none is waiting for its due time. */
  lookAgainIn(now: number): number | null {
    const at = Math.min(...LANES.map((lane) => this.#whole.get(lane) ?? now));
    return at === Infinity ? null : Math.max(0, at - now);
  }

  /** The wall clock was set back: documents that would wait longer than `ms` are due now. */
  clockSetBack(ms: number): void {
    this.lookAgain();
    for (const lane of LANES) this.#setBackMs.set(lane, ms);
  }

  #of(lane: Lane): Turns {
    return lane === 'fresh' ? this.#fresh : this.#backlog;
  }
}

/** Documents by folder, in their order; folders take turns. A folder keeps its turn while it has no documents, which are read again and again. */
class Turns {
  readonly #folders = new Map<string, Document[]>();
  readonly #ids = new Set<number>();

  get size(): number {
    return this.#ids.size;
  }

  has(folder: string): boolean {
    return (this.#folders.get(folder)?.length ?? 0) > 0;
  }

  get next(): Document | undefined {
    for (const [document] of this.#folders.values()) if (document !== undefined) return document;
    return undefined;
  }

  add(...added: readonly Document[]): void {
    for (const document of added) {
      if (this.#ids.has(document.id)) continue;
      this.#ids.add(document.id);
      const documents = this.#folders.get(document.folder);
      if (documents === undefined) this.#folders.set(document.folder, [document]);
      else documents.push(document);
    }
  }

  take(): void {
    for (const [folder, documents] of this.#folders) {
      const document = documents.shift();
      if (document === undefined) continue;
      this.#ids.delete(document.id);
      // Its next turn comes after the others'.
      this.#folders.delete(folder);
      this.#folders.set(folder, documents);
      return;
    }
  }

  clear(): void {
    for (const documents of this.#folders.values()) documents.length = 0;
    this.#ids.clear();
  }
}

/** What waited too long in the fresh lane and the backlog are one lane. */
function byFolder(heads: readonly QueueHead[]): readonly QueueHead[] {
  const folders = new Map<string, Document[]>();
  for (const { folder, documents } of heads)
    folders.set(folder, [...(folders.get(folder) ?? []), ...documents.map(asBacklog)]);
  return [...folders].map(([folder, documents]) => ({
    folder,
    documents: documents.sort((a, b) => a.createdAt - b.createdAt || a.id - b.id),
  }));
}

function asBacklog(document: Document): Document {
  return document.lane === 'backlog' ? document : { ...document, lane: 'backlog' };
}
