import type { Document, Lane } from '../../core/domain/document.ts';
import type { EndpointSettings } from '../../core/domain/settings.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { LedgerQueue } from '../../core/ports/ledgerQueue.ts';
import type { Holds } from '../holds/holds.ts';

export const LANES: readonly Lane[] = ['fresh', 'backlog'];

/** Claimed ahead, so that a free place never waits for the ledger; the rest of the queue stays on disk. */
const CLAIM_AHEAD = 16;
/** Where answers are quick, for each that is made ready. */
const CLAIMS_FOR_READY = 2;
/** A scan that has waited longer has lost its turn before the backlog: a month's outage is one line in order of arrival. */
const FRESH_FOR_MS = 60_000;
/** The longest back-off of a document (parked). */
const LONGEST_WAIT_MS = 60 * 60_000;

export interface EndpointQueueDeps {
  readonly ledger: Pick<LedgerQueue, 'claim' | 'release' | 'nextDue'>;
  readonly holds: Pick<Holds, 'pausedFolders'>;
  readonly clock: Clock;
}

/** One endpoint's part of the queue in memory: a few documents of each lane, claimed ahead. */
export class EndpointQueue {
  readonly settings: EndpointSettings;
  readonly #deps: EndpointQueueDeps;
  readonly #claimed: Record<Lane, Document[]> = { fresh: [], backlog: [] };
  /** Lanes found empty, and until when (monotonic) that need not be checked again without a notification. */
  readonly #looked = new Map<Lane, number>();
  /** Begun, and neither accepted nor over. */
  inFlight = 0;
  /** More are made ready, until there are enough. */
  isFilling = true;
  /** The wall clock was set back by so much since the last look; Infinity: it was not. */
  #setBackMs = Infinity;

  constructor(settings: EndpointSettings, deps: EndpointQueueDeps) {
    this.settings = settings;
    this.#deps = deps;
  }

  /** The next document, of the fresh lane first; undefined until `look`, and while there is none. */
  get next(): Document | undefined {
    return this.#claimed.fresh[0] ?? this.#claimed.backlog[0];
  }

  /** The next document is begun. */
  take(): void {
    (this.#claimed.fresh.length > 0 ? this.#claimed.fresh : this.#claimed.backlog).shift();
  }

  /** Whether `look` would ask the ledger. */
  get isUnknown(): boolean {
    return this.#claimed.fresh.length === 0 && (this.#isUnknown('fresh') || this.#isUnknown('backlog'));
  }

  #isUnknown(lane: Lane): boolean {
    const lookedAt = this.#looked.get(lane);
    const isOver = lookedAt === undefined || lookedAt <= this.#deps.clock.monotonic();
    return isOver && this.#claimed[lane].length === 0;
  }

  /** Claims the next documents, which are this process's from now on, where none are. `ahead`: how many are made ready. */
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
      exceptFolders: holds.pausedFolders(),
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

  /** Nothing is claimed ahead any more. */
  async release(): Promise<void> {
    const claimed = LANES.flatMap((lane) => this.#claimed[lane].splice(0));
    if (claimed.length > 0) await this.#deps.ledger.release(claimed.map(({ id }) => id));
  }

  /** There may be something new in a lane that was found empty. */
  lookAgain(): void {
    this.#looked.clear();
  }

  /** Milliseconds until a document falls due; null when none waits for a time. */
  lookAgainIn(now: number): number | null {
    const at = Math.min(...LANES.map((lane) => this.#looked.get(lane) ?? Infinity));
    return at === Infinity ? null : Math.max(0, at - now);
  }

  /** The wall clock was set back: what waits by it for longer than that is due. */
  clockSetBack(ms: number): void {
    this.#setBackMs = ms;
  }
}
