import { setMaxListeners } from 'node:events';
import type { Document, Lane } from '../domain/document.ts';
import { describeError } from '../domain/errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { Ledger } from '../ports/ledger.ts';
import type { Log } from '../ports/log.ts';
import { deliver, type DeliverDeps } from './deliver.ts';
import type { Holds } from './holds.ts';
import type { Pacer } from './pacer.ts';
import type { EndpointSettings } from './settings.ts';
import { Wake } from './wake.ts';

export interface DispatchDeps {
  readonly ledger: Ledger;
  readonly endpoints: readonly EndpointSettings[];
  readonly concurrency: number;
  readonly pacer: Pacer;
  readonly holds: Holds;
  readonly clock: Clock;
  readonly log: Log;
  readonly deliver: Omit<DeliverDeps, 'pacer' | 'holds' | 'replays'>;
}

/** Claimed ahead, so that a free place never waits for the ledger; the rest of the queue stays on disk. */
const CLAIM_AHEAD = 16;
const LEDGER_RETRY_MS = 5_000;
const LANES: readonly Lane[] = ['fresh', 'backlog'];

/**
 * Why nothing more is being sent at the moment. `done`: nothing is queued. `pace`: the rate. `outage`, `notDue`: it
 * passes by itself soon. `hold`: a hold, a pause or a spent budget.
 */
export type Idle = {
  readonly why: 'done' | 'pace' | 'outage' | 'notDue' | 'hold';
  readonly waitMs: number | null;
};

/** Claims documents from the ledger and keeps as many in flight as the limits allow. */
export class Dispatcher {
  readonly #deps: DispatchDeps;
  readonly #wake: Wake;
  readonly #lines: Line[];
  readonly #inFlight = new Set<Promise<void>>();
  readonly #replays = new Set<number>();
  readonly #idleListeners = new Set<(idle: Idle) => void>();
  #turn = 0;

  constructor(deps: DispatchDeps) {
    this.#deps = deps;
    this.#wake = new Wake(deps.clock);
    this.#lines = deps.endpoints.map((settings) => new Line(settings));
  }

  get inFlight(): number {
    return this.#inFlight.size;
  }

  /** There may be something new to send. */
  wake(): void {
    for (const line of this.#lines) line.looked.clear();
    this.#wake.ring();
  }

  /** Claims nothing more of what was claimed ahead: a pause, or a change of order. */
  async forgetClaims(): Promise<void> {
    for (const line of this.#lines) {
      const claimed = LANES.flatMap((lane) => line.claimed[lane].splice(0));
      await this.#deps.ledger.release(claimed.map(({ id }) => id));
    }
    this.wake();
  }

  /** Calls back each time nothing more can be sent for now and nothing is in flight. */
  onIdle(listener: (idle: Idle) => void): () => void {
    this.#idleListeners.add(listener);
    this.wake();
    return () => this.#idleListeners.delete(listener);
  }

  /**
   * Sends until `stopping` aborts; then resolves when nothing is in flight any more. `abort` ends what is in flight.
   */
  async run(stopping: AbortSignal, abort: AbortSignal): Promise<void> {
    // Every request in flight listens to it; Node would warn of a leak.
    setMaxListeners(0, abort);
    while (!stopping.aborted) {
      let idle: Idle;
      try {
        idle = await this.#startAll(stopping, abort);
      } catch (error) {
        this.#deps.log.error('The ledger could not be read or written; trying again', {
          ...describeError(error),
        });
        for (const line of this.#lines) line.looked.clear();
        idle = { why: 'hold', waitMs: LEDGER_RETRY_MS };
      }
      // Rung meanwhile: what was found is out of date.
      if (this.#inFlight.size === 0 && !this.#wake.isRung)
        for (const listener of this.#idleListeners) listener(idle);
      await this.#wake.wait(idle.waitMs, stopping);
    }
    await Promise.all(this.#inFlight);
  }

  async #startAll(stopping: AbortSignal, abort: AbortSignal): Promise<Idle> {
    const idles: Idle[] = [];
    let blocked = 0;
    while (blocked < this.#lines.length && !stopping.aborted) {
      if (this.#inFlight.size >= this.#deps.concurrency) return { why: 'pace', waitMs: null };
      const line = this.#lines[this.#turn % this.#lines.length] as Line;
      this.#turn += 1;
      const idle = await this.#startOne(line, abort);
      if (idle === null) {
        blocked = 0;
        idles.length = 0;
      } else {
        blocked += 1;
        idles.push(idle);
      }
    }
    return leastIdle(idles);
  }

  /** Starts one document of this endpoint, or says why not. */
  async #startOne(line: Line, abort: AbortSignal): Promise<Idle | null> {
    const { holds, pacer, clock } = this.#deps;
    const { key, limits } = line.settings;
    if (line.inFlight >= limits.concurrency) return { why: 'pace', waitMs: null };
    const gate = holds.gate(key);
    if (gate.kind === 'paused') return this.#waiting(line, { why: 'hold', waitMs: null });
    if (gate.kind === 'closed') {
      return this.#waiting(line, { why: gate.outage ? 'outage' : 'hold', waitMs: gate.waitMs });
    }
    if (gate.kind === 'probe' && line.inFlight > 0) return { why: 'pace', waitMs: null };
    let paced: Idle | null = null;
    for (const lane of LANES) {
      const document = await this.#next(line, lane);
      if (!document) continue;
      // While the ledger was asked, a hold may have come or gone, or a person paused the folder.
      if (holds.gate(key).kind !== gate.kind) {
        line.claimed[lane].unshift(document);
        return null;
      }
      if (holds.isPaused('folder', document.folder)) {
        await this.#deps.ledger.release([document.id]);
        return null;
      }
      const delay = pacer.delay(key, lane);
      if (delay.ms > 0) {
        line.claimed[lane].unshift(document);
        // The fresh lane comes first, and never waits longer than the other.
        paced ??= { why: delay.budget ? 'hold' : 'pace', waitMs: delay.ms };
        continue;
      }
      this.#start(line, document, gate.kind === 'probe', abort);
      return null;
    }
    if (paced) return paced;
    const waitMs = line.lookAgainIn(clock.monotonic());
    if (waitMs === null) return { why: 'done', waitMs };
    // After an outage the one document that could be the probe steps back for a while: that is the outage still.
    return { why: gate.kind === 'probe' ? 'outage' : 'notDue', waitMs: Math.max(10, waitMs) };
  }

  /** Held and empty is done all the same. */
  async #waiting(line: Line, idle: Idle): Promise<Idle> {
    for (const lane of LANES) {
      const document = await this.#next(line, lane);
      if (document) {
        line.claimed[lane].unshift(document);
        return idle;
      }
    }
    const isEmpty = line.lookAgainIn(this.#deps.clock.monotonic()) === null;
    return isEmpty ? { why: 'done', waitMs: idle.waitMs } : idle;
  }

  async #next(line: Line, lane: Lane): Promise<Document | undefined> {
    const claimed = line.claimed[lane];
    const { ledger, holds, clock } = this.#deps;
    const lookedAt = line.looked.get(lane);
    if (claimed.length === 0 && (lookedAt === undefined || lookedAt <= clock.monotonic())) {
      const now = clock.now();
      const query = {
        endpoint: line.settings.key,
        lane,
        limit: CLAIM_AHEAD,
        now,
        exceptFolders: holds.pausedFolders(),
      };
      // Marked before the query: what is admitted while it runs rings again.
      line.looked.set(lane, Infinity);
      claimed.push(...(await ledger.claim(query)));
      if (claimed.length > 0) line.looked.delete(lane);
      else {
        const due = await ledger.nextDue(line.settings.key, now);
        if (due !== null && line.looked.has(lane))
          line.looked.set(lane, clock.monotonic() + Math.max(0, due - now));
      }
    }
    return claimed.shift();
  }

  #start(line: Line, document: Document, isProbe: boolean, abort: AbortSignal): void {
    const { pacer, holds, log } = this.#deps;
    const slot = pacer.reserve(line.settings.key);
    if (isProbe) holds.startProbe(document);
    line.inFlight += 1;
    const deps = { ...this.#deps.deliver, pacer, holds, replays: this.#replays };
    const task = deliver(document, slot, deps, abort)
      .then((settled) => {
        if (!settled) line.looked.clear();
      })
      .catch(async (error: unknown) => {
        if (abort.aborted) return;
        log.error('A delivery could not go on; the document stays queued', {
          documentId: document.id,
          ...describeError(error),
        });
        await this.#deps.clock.sleep(LEDGER_RETRY_MS, abort).catch(() => {});
        await this.#deps.ledger.release([document.id]).catch(() => {});
        line.looked.clear();
      })
      .finally(() => {
        line.inFlight -= 1;
        this.#inFlight.delete(task);
        if (isProbe) holds.endProbe(document);
        this.#wake.ring();
      });
    this.#inFlight.add(task);
  }
}

/** One endpoint's part of the queue in memory. */
class Line {
  readonly settings: EndpointSettings;
  readonly claimed: Record<Lane, Document[]> = { fresh: [], backlog: [] };
  /** Lanes found empty, and until when (monotonic) that need not be looked at again unless something rings. */
  readonly looked = new Map<Lane, number>();
  inFlight = 0;

  constructor(settings: EndpointSettings) {
    this.settings = settings;
  }

  /** Milliseconds until a document falls due; null when none waits for a time. */
  lookAgainIn(now: number): number | null {
    const at = Math.min(...LANES.map((lane) => this.looked.get(lane) ?? Infinity));
    return at === Infinity ? null : Math.max(0, at - now);
  }
}

const PATIENCE: readonly Idle['why'][] = ['pace', 'notDue', 'outage', 'hold', 'done'];

/** The endpoint that can go on first decides how long to wait and why. */
function leastIdle(idles: readonly Idle[]): Idle {
  const waits = idles.flatMap(({ waitMs }) => waitMs ?? []);
  const [first] = [...idles].sort((a, b) => PATIENCE.indexOf(a.why) - PATIENCE.indexOf(b.why));
  return { why: first?.why ?? 'done', waitMs: waits.length > 0 ? Math.min(...waits) : null };
}
