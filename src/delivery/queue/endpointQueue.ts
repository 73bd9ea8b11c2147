import type { Document, Lane } from '../../core/domain/document.ts';
import type { EndpointSettings } from '../../core/domain/settings.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { LedgerQueue } from '../../core/ports/ledgerQueue.ts';
import type { Holds } from '../holds/holds.ts';

export const LANES: readonly Lane[] = ['fresh', 'backlog'];

/** Documents claimed ahead per lane, so that a free slot never waits for the ledger; the rest of the queue stays on disk. */
const CLAIM_AHEAD = 16;
/** Further claims per prepared upload, for endpoints with quick answers. */
const CLAIMS_FOR_READY = 2;
/** A fresh scan that has waited longer moves to the backlog, so that the backlog of an outage is sent in order of arrival. */
const FRESH_FOR_MS = 60_000;
/** The longest back-off of a document (a parked one). */
const LONGEST_WAIT_MS = 60 * 60_000;

export interface EndpointQueueDeps {
  readonly ledger: Pick<LedgerQueue, 'claim' | 'release' | 'nextDue'>;
  readonly holds: Pick<Holds, 'pauses'>;
  readonly clock: Clock;
}

/** One endpoint's part of the queue in memory: a few documents of each lane, claimed ahead. */
export class EndpointQueue {
  readonly settings: EndpointSettings;
  readonly #deps: EndpointQueueDeps;
  readonly #claimed: Record<Lane, Document[]> = { fresh: [], backlog: [] };
  /** Lanes found empty, and until when (monotonic) that need not be checked again without a notification. */
  readonly #looked = new Map<Lane, number>();
  /** Requests that have begun and are neither accepted nor over. */
  inFlight = 0;
  /** Whether more requests are being prepared, until there are enough. */
  isFilling = true;
  /** How far the wall clock was set back since the last claim; Infinity if it was not. */
  #setBackMs = Infinity;

  constructor(settings: EndpointSettings, deps: EndpointQueueDeps) {
    this.settings = settings;
    this.#deps = deps;
  }

  /** The next document, fresh lane first. Undefined before `look`, and while there is none. */
  get next(): Document | undefined {
    return this.#claimed.fresh[0] ?? this.#claimed.backlog[0];
  }

  /** Removes the next document, because it is being sent. */
  take(): void {
    (this.#claimed.fresh.length > 0 ? this.#claimed.fresh : this.#claimed.backlog).shift();
  }

  /** Whether `look` would query the ledger. */
  get isUnknown(): boolean {
    return this.#claimed.fresh.length === 0 && (this.#isUnknown('fresh') || this.#isUnknown('backlog'));
  }

  #isUnknown(lane: Lane): boolean {
    const lookedAt = this.#looked.get(lane);
    const isOver = lookedAt === undefined || lookedAt <= this.#deps.clock.monotonic();
    return isOver && this.#claimed[lane].length === 0;
  }

  /** Claims the next documents for this process, in lanes with none claimed. `ahead`: how many uploads are being prepared. */
  async look(ahead: number): Promise<void> {
    for (const lane of LANES) {
      if (this.#isUnknown(lane)) await this.#claim(lane, ahead);
      if (this.#claimed[lane].length > 0) return;
    }
  }

  async #claim(lane: Lane, ahead: number): Promise<void> {
    const claimed = this.#claimed[lane];
    const { ledger, holds, clock } = this.#deps;
    const { key: endpoint } = this.settings;
    const now = clock.now();
    const query = {
      endpoint,
      lane,
      limit: CLAIM_AHEAD + CLAIMS_FOR_READY * ahead,
      now,
      exceptFolders: holds.pauses.folders(),
      freshSince: now - FRESH_FOR_MS,
      longestWaitMs: Math.min(LONGEST_WAIT_MS, this.#setBackMs),
    };
    this.#setBackMs = Infinity;
    // The query moves what is no longer fresh to the backlog, which may have been found empty before.
    this.#looked.delete('backlog');
    // Marked before the query: what is admitted while it runs notifies again.
    this.#looked.set(lane, Infinity);
    claimed.push(...(await ledger.claim(query)));
    if (claimed.length > 0) this.#looked.delete(lane);
    else {
      const due = await ledger.nextDue(endpoint, now);
      if (due !== null && this.#looked.has(lane))
        this.#looked.set(lane, clock.monotonic() + Math.max(0, due - now));
    }
  }

  /** Gives back all documents that were claimed ahead. */
  async release(): Promise<void> {
    const claimed = LANES.flatMap((lane) => this.#claimed[lane].splice(0));
    if (claimed.length > 0) await this.#deps.ledger.release(claimed.map(({ id }) => id));
  }

  /** Call when a lane that was found empty may have new documents. */
  lookAgain(): void {
    this.#looked.clear();
  }

  /** Milliseconds until a document falls due; null if none is waiting for its due time. */
  lookAgainIn(now: number): number | null {
    const at = Math.min(...LANES.map((lane) => this.#looked.get(lane) ?? Infinity));
    return at === Infinity ? null : Math.max(0, at - now);
  }

  /** The wall clock was set back: documents that would wait longer than `ms` are due now. */
  clockSetBack(ms: number): void {
    this.#setBackMs = ms;
  }
}
