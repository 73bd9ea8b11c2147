import { setMaxListeners } from 'node:events';
import type { Document, Lane } from '../../core/domain/document.ts';
import { describeError, isOfLedger, isTakenOver } from '../../core/domain/errors.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { Ledger } from '../../core/ports/ledger.ts';
import type { Log } from '../../core/ports/log.ts';
import { ClockWatch } from '../../core/domain/clockWatch.ts';
import { deliver, type DeliverDeps } from '../deliver.ts';
import { SendPermit } from '../sendPermit.ts';
import type { SharedTurns } from '../sharedTurns.ts';
import type { SendGate } from './sendGate.ts';
import type { Gate, Holds } from '../holds/holds.ts';
import { LANES, EndpointQueue } from './endpointQueue.ts';
import type { Pacer } from '../limits/pacer.ts';
import type { EndpointSettings } from '../../core/domain/settings.ts';
import { Notifier } from '../../core/notifier.ts';

export interface DispatchDeps {
  readonly ledger: Ledger;
  readonly endpoints: readonly EndpointSettings[];
  readonly concurrency: number;
  readonly pacer: Pacer;
  readonly holds: Holds;
  readonly gate: SendGate;
  readonly turns: SharedTurns;
  readonly clock: Clock;
  readonly log: Log;
  readonly deliver: Omit<DeliverDeps, 'holds' | 'replays' | 'missingSince' | 'onAccepted'>;
}

/** Claimed ahead, so that a free place never waits for the ledger; the rest of the queue stays on disk. */
const CLAIM_AHEAD = 16;
/** Where answers are quick, for each that is made ready. */
const CLAIMS_FOR_READY = 2;
/** Target wait of a prepared upload for a slot. */
const AHEAD_MS = 50;
/** Cap on prepared uploads, as a multiple of the concurrency. */
const AHEAD_FACTOR = 2;
/** Of the requests at once, with those that are accepted and not recorded yet: a kill leaves as many to be sent again. */
const LEFT_FACTOR = 2;
const LEDGER_RETRY_MS = 5_000;
const LEASE_MS = 1_000;
/** A scan that has waited longer has lost its turn before the backlog: a month's outage is one line in order of arrival. */
const FRESH_FOR_MS = 60_000;
/** A jump of the clock is noticed when the loop wakes, at the latest after the longest sleep (notifier.ts). */
const NOTICED_WITHIN_MS = 61_000;
/** The longest back-off of a document (parked). */
const LONGEST_WAIT_MS = 60 * 60_000;

/**
 * Why nothing more is being sent at the moment. `done`: nothing is queued. `pace`: the rate. `outage`, `notDue`: it
 * passes by itself soon. `hold`: a hold, a pause, a spent budget, the sending hours, or a ledger that can't be written.
 */
export type Idle = {
  readonly why: 'done' | 'pace' | 'outage' | 'notDue' | 'hold';
  readonly waitMs: number | null;
};

/** Claims documents from the ledger and keeps as many in flight as the limits allow. */
export class Dispatcher {
  readonly #deps: DispatchDeps;
  readonly #notifier: Notifier;
  readonly #queues: EndpointQueue[];
  readonly #inFlight = new Set<Promise<void>>();
  /** Of those in flight the ones that are not accepted yet. */
  #sending = 0;
  /** Accepted, not recorded yet, and without a slot. */
  #unrecorded = 0;
  readonly #replays = new Set<number>();
  readonly #missingSince = new Map<number, number>();
  readonly #idleListeners = new Set<(idle: Idle) => void>();
  readonly #watch: ClockWatch;
  #turn = 0;
  #ledgerFailed = false;

  constructor(deps: DispatchDeps) {
    this.#deps = deps;
    this.#notifier = new Notifier(deps.clock);
    this.#watch = new ClockWatch(deps.clock);
    this.#queues = deps.endpoints.map((settings) => new EndpointQueue(settings));
  }

  get inFlight(): number {
    return this.#inFlight.size;
  }

  /** There may be something new to send. */
  wake(): void {
    for (const queue of this.#queues) queue.looked.clear();
    this.#notifier.notify();
  }

  /** Claims nothing more of what was claimed ahead: a pause, or a change of order. */
  async forgetClaims(): Promise<void> {
    for (const queue of this.#queues) await this.#release(queue);
    this.wake();
  }

  async #release(queue: EndpointQueue): Promise<void> {
    const claimed = LANES.flatMap((lane) => queue.claimed[lane].splice(0));
    if (claimed.length > 0) await this.#deps.ledger.release(claimed.map(({ id }) => id));
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
    const until = AbortSignal.any([stopping, abort]);
    // Every request in flight listens to them; Node would warn of a leak.
    setMaxListeners(0, abort, until);
    const endListening = this.#deps.ledger.storage.onChange(() => this.wake());
    while (!stopping.aborted) {
      const idle = await this.#round(until, abort);
      // Notified meanwhile: what was found is out of date.
      if (this.#inFlight.size === 0 && !this.#notifier.isNotified)
        for (const listener of this.#idleListeners) listener(idle);
      await this.#notifier.wait(idle.waitMs, stopping);
    }
    endListening();
    await Promise.all(this.#inFlight);
  }

  async #round(until: AbortSignal, abort: AbortSignal): Promise<Idle> {
    const { ledger, gate, turns } = this.#deps;
    this.#heedClockJump();
    // Whoever closed the ledger has said so; it calls back when it is open again.
    if (ledger.storage.trouble() !== null) return { why: 'hold', waitMs: null };
    // A new lease is there in a moment, or the ledger is in trouble.
    if (!turns.isLeased()) return { why: 'hold', waitMs: LEASE_MS };
    try {
      // Somebody tells when a person lets it go on.
      if (turns.isPaused) return await this.#waitingForAll(null);
      const closedMs = gate.opensInMs;
      const idle = closedMs > 0 ? await this.#waitingForAll(closedMs) : await this.#startAll(until, abort);
      this.#ledgerFailed = false;
      return idle;
    } catch (error) {
      this.#sayOnce(error);
      for (const queue of this.#queues) queue.looked.clear();
      return { why: 'hold', waitMs: LEDGER_RETRY_MS };
    }
  }

  #sayOnce(error: unknown): void {
    const message = 'The ledger could not be read or written; trying again';
    const isSaid = this.#ledgerFailed || this.#deps.ledger.storage.trouble() !== null;
    this.#deps.log[isSaid ? 'debug' : 'error'](message, { ...describeError(error) });
    this.#ledgerFailed = true;
  }

  /**
   * What falls due was reckoned on the wall clock and is waited for on the monotonic one. Where the clock was set back,
   * every time of before lies too far ahead: those documents are due at once, rather than late.
   */
  #heedClockJump(): void {
    const jump = this.#watch.takeJump();
    if (jump === 0) return;
    for (const queue of this.#queues) {
      queue.looked.clear();
      if (jump < 0) queue.setBackMs = Math.max(0, -jump - NOTICED_WITHIN_MS);
    }
  }

  async #waitingForAll(closedMs: number | null): Promise<Idle> {
    const idles: Idle[] = [];
    for (const queue of this.#queues)
      idles.push(await this.#waiting(queue, { why: 'hold', waitMs: closedMs }));
    return leastIdle(idles);
  }

  async #startAll(until: AbortSignal, abort: AbortSignal): Promise<Idle> {
    const idles: Idle[] = [];
    let blocked = 0;
    // What one endpoint has ready must not keep the others from their turns.
    const busy = this.#queues.filter(({ inFlight }) => inFlight > 0);
    const aheadOfAny = Math.max(0, ...busy.map((queue) => this.#aheadOf(queue)));
    while (blocked < this.#queues.length && !until.aborted) {
      if (this.#deps.gate.isShut) return { why: 'hold', waitMs: 0 };
      const queue = this.#queues[this.#turn % this.#queues.length] as EndpointQueue;
      this.#turn += 1;
      const idle = await this.#startOne(queue, aheadOfAny, until, abort);
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
  async #startOne(
    queue: EndpointQueue,
    aheadOfAny: number,
    until: AbortSignal,
    abort: AbortSignal,
  ): Promise<Idle | null> {
    const { holds, pacer, clock, concurrency } = this.#deps;
    const { key } = queue.settings;
    const gate = holds.gate(key);
    // Not as soon as it closes: what is under way may open it again in a moment.
    if (gate.kind === 'probe') pacer.beginAnew(key);
    const ahead = gate.kind === 'open' ? this.#aheadOf(queue) : 0;
    if (
      this.#inFlight.size >= concurrency * LEFT_FACTOR + aheadOfAny ||
      this.#sending >= concurrency + aheadOfAny ||
      queue.inFlight >= this.#mostOf(queue) + ahead
    )
      return { why: 'pace', waitMs: null };
    if (gate.kind === 'paused') return this.#waiting(queue, { why: 'hold', waitMs: null });
    if (gate.kind === 'closed') {
      return this.#waiting(queue, { why: gate.outage ? 'outage' : 'hold', waitMs: this.#waitFor(gate) });
    }
    if (gate.kind === 'probe' && queue.inFlight > 0) return { why: 'pace', waitMs: null };
    let paced: Idle | null = null;
    for (const lane of LANES) {
      const document = await this.#next(queue, lane);
      if (!document) continue;
      // While the ledger was asked, a hold may have come or gone, or a person paused the folder.
      if (holds.gate(key).kind !== gate.kind || this.#deps.gate.isShut) {
        queue.claimed[lane].unshift(document);
        return null;
      }
      if (holds.isPaused('folder', document.folder)) {
        await this.#deps.ledger.release([document.id]);
        return null;
      }
      const delay = pacer.delay(key, lane);
      if (delay.ms > 0) {
        queue.claimed[lane].unshift(document);
        if (!delay.budget) pacer.heldBack(key, lane);
        // The fresh lane comes first, and never waits longer than the other.
        paced ??= { why: delay.budget ? 'hold' : 'pace', waitMs: delay.ms };
        continue;
      }
      this.#start(queue, document, gate.kind === 'probe', until, abort);
      return null;
    }
    if (paced) return paced;
    const waitMs = queue.lookAgainIn(clock.monotonic());
    if (waitMs === null) return { why: 'done', waitMs };
    // After an outage the one document that could be the probe steps back for a while: that is the outage still.
    return { why: gate.kind === 'probe' ? 'outage' : 'notDue', waitMs: Math.max(10, waitMs) };
  }

  /** Until the gate may open; sooner, where other credentials would open it. */
  #waitFor({ waitMs, recheckMs }: Extract<Gate, { kind: 'closed' }>): number {
    if (recheckMs === null) return waitMs;
    if (recheckMs > 0) return Math.min(waitMs, recheckMs);
    void this.#deps.holds.recheckCredentials().then(() => this.#notifier.notify());
    return waitMs;
  }

  /** Held and empty is done anyway. */
  async #waiting(queue: EndpointQueue, idle: Idle): Promise<Idle> {
    if (this.#deps.turns.hasOthers) return this.#leftToOthers(queue, idle);
    for (const lane of LANES) {
      const document = await this.#next(queue, lane);
      if (document) {
        queue.claimed[lane].unshift(document);
        return idle;
      }
    }
    const isEmpty = queue.lookAgainIn(this.#deps.clock.monotonic()) === null;
    return isEmpty ? { why: 'done', waitMs: idle.waitMs } : idle;
  }

  /** What keeps this agent from sending need not keep others. */
  async #leftToOthers(queue: EndpointQueue, idle: Idle): Promise<Idle> {
    await this.#release(queue);
    const isEmpty = (await this.#deps.ledger.waiting(0, 1)).length === 0;
    return isEmpty ? { why: 'done', waitMs: idle.waitMs } : idle;
  }

  async #next(queue: EndpointQueue, lane: Lane): Promise<Document | undefined> {
    const claimed = queue.claimed[lane];
    const { ledger, holds, clock } = this.#deps;
    const lookedAt = queue.looked.get(lane);
    if (claimed.length === 0 && (lookedAt === undefined || lookedAt <= clock.monotonic())) {
      const now = clock.now();
      const query = {
        endpoint: queue.settings.key,
        lane,
        limit: CLAIM_AHEAD + CLAIMS_FOR_READY * this.#aheadOf(queue),
        now,
        exceptFolders: holds.pausedFolders(),
        freshSince: now - FRESH_FOR_MS,
        longestWaitMs: Math.min(LONGEST_WAIT_MS, queue.setBackMs),
      };
      queue.setBackMs = Infinity;
      // The query moves what is no longer fresh to the backlog, which may have been found empty before.
      queue.looked.delete('backlog');
      // Marked before the query: what is admitted while it runs notifies again.
      queue.looked.set(lane, Infinity);
      claimed.push(...(await ledger.claim(query)));
      if (claimed.length > 0) queue.looked.delete(lane);
      else {
        const due = await ledger.nextDue(queue.settings.key, now);
        if (due !== null && queue.looked.has(lane))
          queue.looked.set(lane, clock.monotonic() + Math.max(0, due - now));
      }
    }
    return claimed.shift();
  }

  /** How many requests of this endpoint may be under way at present. */
  #mostOf({ settings: { key, limits } }: EndpointQueue): number {
    return Math.min(limits.concurrency, this.#deps.pacer.atOnce(key));
  }

  /**
   * How many requests are made ready before there is a place for them: as many as get theirs in a moment, at a pace that
   * nothing slows down. What is ready here would keep its turn in shared windows from other agents.
   */
  #aheadOf(queue: EndpointQueue): number {
    const { pacer, turns } = this.#deps;
    const { key, limits } = queue.settings;
    const typicalMs = pacer.typicalMs(key);
    if (turns.takesTurns(limits) || typicalMs === 0 || this.#mostOf(queue) < limits.concurrency) return 0;
    return Math.min(
      limits.concurrency * AHEAD_FACTOR,
      Math.floor((AHEAD_MS / typicalMs) * limits.concurrency),
    );
  }

  #start(
    queue: EndpointQueue,
    document: Document,
    isProbe: boolean,
    until: AbortSignal,
    abort: AbortSignal,
  ): void {
    const { pacer, holds, gate, turns, clock } = this.#deps;
    if (isProbe) holds.startProbe(document);
    queue.inFlight += 1;
    this.#sending += 1;
    /** Accepted, and others may go on although that is not recorded yet. */
    let isOver = false;
    let isUnrecorded = false;
    const isOpen = (): boolean => isProbe || (!until.aborted && gate.isOpen(document));
    const { limits } = queue.settings;
    const permit = new SendPermit({ pacer, turns, clock, document, limits, isOpen, until });
    const onAccepted = (): void => {
      // A probe keeps its place until what it found out is said.
      if (isOver || isProbe) return;
      isOver = true;
      queue.inFlight -= 1;
      this.#sending -= 1;
      if (this.#unrecorded < this.#deps.concurrency * (LEFT_FACTOR - 1)) {
        isUnrecorded = true;
        this.#unrecorded += 1;
        permit.giveBackSlot();
      }
      this.#notifier.notify();
    };
    const [replays, missingSince] = [this.#replays, this.#missingSince];
    const deps = { ...this.#deps.deliver, holds, replays, missingSince, onAccepted };
    const task = deliver(document, permit, deps, abort)
      .then((settled) => {
        if (!settled) queue.looked.clear();
      })
      .catch(async (error: unknown) => {
        if (abort.aborted) return;
        if (isTakenOver(error)) this.#leave(document, error);
        else await this.#giveUp(document, error, abort);
        queue.looked.clear();
      })
      .finally(() => {
        permit.giveBackSlot();
        if (isUnrecorded) this.#unrecorded -= 1;
        if (!isOver) {
          queue.inFlight -= 1;
          this.#sending -= 1;
        }
        this.#inFlight.delete(task);
        if (isProbe) holds.endProbe(document);
        this.#notifier.notify();
      });
    this.#inFlight.add(task);
  }

  /** Another agent goes on with it; what came of it here can't be recorded, and its attempt counts as unknown. */
  #leave({ id, name }: Document, error: unknown): void {
    this.#deps.log.info('Another agent has taken a document over', {
      documentId: id,
      name,
      ...describeError(error),
    });
  }

  /** The ledger could not be written, or a defect: either way the document must not stay behind as uploading. */
  async #giveUp(document: Document, error: unknown, abort: AbortSignal): Promise<void> {
    const { ledger, clock, log, deliver: deps } = this.#deps;
    const isSaid = isOfLedger(error) && ledger.storage.trouble() !== null;
    const fields = { documentId: document.id, ...describeError(error) };
    log[isSaid ? 'debug' : 'error']('A delivery could not go on; the document stays queued', fields);
    while (!abort.aborted && !ledger.storage.trouble()?.isForGood) {
      await clock.sleep(LEDGER_RETRY_MS, abort).catch(() => {});
      try {
        await deps.recorder.abandon(document, error, abort);
        await ledger.release([document.id]);
        return;
      } catch (cause) {
        // A ledger that is away for a day would have it claimed for good.
        if (abort.aborted || isOfLedger(cause)) continue;
        log.error('A document stays uploading until the next start', { ...fields, ...describeError(cause) });
        return ledger.release([document.id]).catch(() => {});
      }
    }
  }
}

const PATIENCE: readonly Idle['why'][] = ['pace', 'notDue', 'outage', 'hold', 'done'];

/** The endpoint that can go on first decides how long to wait and why. */
function leastIdle(idles: readonly Idle[]): Idle {
  const waits = idles.flatMap(({ waitMs }) => waitMs ?? []);
  const [first] = [...idles].sort((a, b) => PATIENCE.indexOf(a.why) - PATIENCE.indexOf(b.why));
  return { why: first?.why ?? 'done', waitMs: waits.length > 0 ? Math.min(...waits) : null };
}
