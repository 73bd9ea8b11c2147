import { setMaxListeners } from 'node:events';
import { describeError } from '../../core/domain/errors.ts';
import { ClockWatch } from '../../core/domain/clockWatch.ts';
import type { Gate } from '../holds/holds.ts';
import { Deliveries, LEFT_FACTOR, type DeliveriesDeps } from './deliveries.ts';
import { EndpointQueue } from './endpointQueue.ts';
import type { EndpointSettings } from '../../core/domain/settings.ts';
import { Notifier } from '../../core/notifier.ts';

export interface DispatchDeps extends DeliveriesDeps {
  readonly endpoints: readonly EndpointSettings[];
}

/** Target wait of a prepared upload for a slot. */
const AHEAD_MS = 50;
/** Cap on prepared uploads, as a multiple of the concurrency. */
const AHEAD_FACTOR = 4;
const LEDGER_RETRY_MS = 5_000;
const LEASE_MS = 1_000;
/** Latest notice of a clock jump: the loop's longest sleep (notifier.ts), plus a margin. */
const NOTICED_WITHIN_MS = 61_000;
/**
 * Why nothing is being sent. `done`: the queue is empty. `pace`: the rate. `outage`, `notDue`: resolves itself soon. `hold`: a
 * hold, a pause, a spent budget, the sending hours, or an unwritable ledger.
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
  readonly #deliveries: Deliveries;
  readonly #idleListeners = new Set<(idle: Idle) => void>();
  readonly #watch: ClockWatch;
  #turn = 0;
  #ledgerFailed = false;

  constructor(deps: DispatchDeps) {
    this.#deps = deps;
    this.#notifier = new Notifier(deps.clock);
    this.#deliveries = new Deliveries(deps, () => this.#notifier.notify());
    this.#watch = new ClockWatch(deps.clock);
    this.#queues = deps.endpoints.map((settings) => new EndpointQueue(settings, deps));
  }

  get inFlight(): number {
    return this.#deliveries.inFlight;
  }

  /** Call when there may be something new to send. */
  wake(): void {
    for (const queue of this.#queues) queue.lookAgain();
    this.#notifier.notify();
  }

  /** Releases the documents that were claimed ahead, because of a pause or a change of order. */
  async forgetClaims(): Promise<void> {
    for (const queue of this.#queues) await queue.release();
    this.wake();
  }

  /** Calls back whenever nothing is in flight and nothing can be sent for now. */
  onIdle(listener: (idle: Idle) => void): () => void {
    this.#idleListeners.add(listener);
    this.wake();
    return () => this.#idleListeners.delete(listener);
  }

  /** Sends until `stopping` aborts, then resolves once nothing is in flight. `abort` cancels the requests in flight. */
  async run(stopping: AbortSignal, abort: AbortSignal): Promise<void> {
    const until = AbortSignal.any([stopping, abort]);
    // Every request in flight listens to them, so Node would warn of a leak.
    setMaxListeners(0, abort, until);
    const endListening = this.#deps.ledger.storage.onChange(() => this.wake());
    while (!stopping.aborted) {
      const idle = await this.#round(until, abort);
      // If notified meanwhile, `idle` is out of date.
      if (this.inFlight === 0 && !this.#notifier.isNotified)
        for (const listener of this.#idleListeners) listener(idle);
      await this.#notifier.wait(idle.waitMs, stopping);
    }
    endListening();
    await this.#deliveries.ended();
  }

  async #round(until: AbortSignal, abort: AbortSignal): Promise<Idle> {
    const { ledger, gate, turns } = this.#deps;
    this.#heedClockJump();
    // The failure has been logged already, and `storage.onChange` wakes the loop when the ledger is usable again.
    if (ledger.storage.trouble() !== null) return { why: 'hold', waitMs: null };
    // Either a new lease follows shortly, or the ledger is in trouble.
    if (!turns.isLeased()) return { why: 'hold', waitMs: LEASE_MS };
    try {
      // A fleet signal wakes the loop when a person resumes this agent.
      if (turns.isPaused) return await this.#waitingForAll(null);
      const closedMs = gate.opensInMs;
      const idle = closedMs > 0 ? await this.#waitingForAll(closedMs) : await this.#startAll(until, abort);
      this.#ledgerFailed = false;
      return idle;
    } catch (error) {
      this.#sayOnce(error);
      for (const queue of this.#queues) queue.lookAgain();
      return { why: 'hold', waitMs: LEDGER_RETRY_MS };
    }
  }

  #sayOnce(error: unknown): void {
    const isSaid = this.#ledgerFailed || this.#deps.ledger.storage.trouble() !== null;
    this.#deps.log[isSaid ? 'debug' : 'error']('ledgerInaccessible', describeError(error));
    this.#ledgerFailed = true;
  }

  /**
   * Due times are computed on the wall clock, but waited for on the monotonic one. If the clock was set back, all earlier due times
   * lie too far ahead: those documents become due at once rather than late.
   */
  #heedClockJump(): void {
    const jump = this.#watch.takeJump();
    if (jump === 0) return;
    for (const queue of this.#queues) {
      queue.lookAgain();
      if (jump < 0) queue.clockSetBack(Math.max(0, -jump - NOTICED_WITHIN_MS));
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
    // Uploads prepared for one endpoint must not take the turns of the others.
    const busy = this.#queues.filter(({ inFlight }) => inFlight > 0);
    const aheadOfAny = Math.max(0, ...busy.map((queue) => this.#aheadOf(queue)));
    while (blocked < this.#queues.length && !until.aborted) {
      if (this.#deps.gate.isShut) return { why: 'hold', waitMs: 0 };
      const queue = this.#queues[this.#turn % this.#queues.length] as EndpointQueue;
      this.#turn += 1;
      let kept = this.#keptBack(queue, aheadOfAny);
      if (kept === null && queue.isUnknown) {
        await queue.look(this.#aheadOf(queue));
        // A hold may have come or gone during the ledger query.
        if (this.#deps.gate.isShut) return { why: 'hold', waitMs: 0 };
        kept = this.#keptBack(queue, aheadOfAny);
      }
      const started = kept ?? this.#startNext(queue, until, abort);
      const idle = started instanceof Promise ? await started : started;
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

  /** Why this endpoint may not start any document now, whichever is next; null if it may. */
  #keptBack(queue: EndpointQueue, aheadOfAny: number): Idle | null | Promise<Idle> {
    const { holds, pacer, concurrency } = this.#deps;
    const { key } = queue.settings;
    const gate = holds.gate(key);
    // Only at the probe, not when the gate closes: a request in flight may reopen it.
    if (gate.kind === 'probe') pacer.beginAnew(key);
    const ahead = gate.kind === 'open' ? this.#aheadOf(queue) : 0;
    if (
      this.inFlight >= concurrency * LEFT_FACTOR + aheadOfAny ||
      this.#deliveries.sending >= concurrency + aheadOfAny ||
      queue.inFlight >= this.#mostOf(queue) + ahead
    ) {
      queue.isFilling = false;
      return { why: 'pace', waitMs: null };
    }
    // Refill in batches, so that each is one commit.
    if (!queue.isFilling && queue.inFlight > this.#mostOf(queue) + ahead / 2)
      return { why: 'pace', waitMs: null };
    queue.isFilling = true;
    if (gate.kind === 'paused') return this.#waiting(queue, { why: 'hold', waitMs: null });
    if (gate.kind === 'closed') {
      return this.#waiting(queue, { why: gate.outage ? 'outage' : 'hold', waitMs: this.#waitFor(gate) });
    }
    return gate.kind === 'probe' && queue.inFlight > 0 ? { why: 'pace', waitMs: null } : null;
  }

  /** Starts the endpoint's next document. Otherwise returns why not; null if one was started. */
  #startNext(
    queue: EndpointQueue,
    until: AbortSignal,
    abort: AbortSignal,
  ): Idle | null | Promise<Idle | null> {
    const { holds, pacer, clock, ledger } = this.#deps;
    const { key } = queue.settings;
    const isProbe = holds.gate(key).kind === 'probe';
    const document = queue.next;
    if (!document) {
      const waitMs = queue.lookAgainIn(clock.monotonic());
      if (waitMs === null) return { why: 'done', waitMs };
      // After an outage, the only document that could be the probe backs off: that still counts as the outage.
      return { why: isProbe ? 'outage' : 'notDue', waitMs: Math.max(10, waitMs) };
    }
    // A person may have paused the folder since the claim.
    if (holds.pauses.has('folder', document.folder)) {
      queue.take();
      return ledger.release([document.id]).then(() => null);
    }
    // The fresh lane never waits longer than the backlog.
    const { ms, budget } = pacer.delay(key, document.lane);
    if (ms > 0) {
      if (!budget) pacer.heldBack(key, document.lane);
      return { why: budget ? 'hold' : 'pace', waitMs: ms };
    }
    queue.take();
    this.#deliveries.start(queue, document, isProbe, until, abort);
    return null;
  }

  /** Milliseconds until the gate may open, or until the credentials are rechecked if that is sooner. */
  #waitFor({ waitMs, recheckMs }: Extract<Gate, { kind: 'closed' }>): number {
    if (recheckMs === null) return waitMs;
    if (recheckMs > 0) return Math.min(waitMs, recheckMs);
    void this.#deps.holds.credentials.run().then(() => this.#notifier.notify());
    return waitMs;
  }

  /** Reports `done` instead of `idle` if the queue is empty. */
  async #waiting(queue: EndpointQueue, idle: Idle): Promise<Idle> {
    if (this.#deps.turns.hasOthers) return this.#leftToOthers(queue, idle);
    await queue.look(this.#aheadOf(queue));
    if (queue.next) return idle;
    const isEmpty = queue.lookAgainIn(this.#deps.clock.monotonic()) === null;
    return isEmpty ? { why: 'done', waitMs: idle.waitMs } : idle;
  }

  /** Releases this agent's claims, because other agents may be able to send them. */
  async #leftToOthers(queue: EndpointQueue, idle: Idle): Promise<Idle> {
    await queue.release();
    const isEmpty = (await this.#deps.ledger.waiting(0, 1)).length === 0;
    return isEmpty ? { why: 'done', waitMs: idle.waitMs } : idle;
  }

  /** How many requests of this endpoint may be in flight now. */
  #mostOf({ settings: { key, limits } }: EndpointQueue): number {
    return Math.min(limits.concurrency, this.#deps.pacer.atOnce(key));
  }

  /**
   * How many requests to prepare before they have a slot: as many as get one within AHEAD_MS, and only at full pace. None if the
   * fleet shares the limits, because prepared requests would keep turns from other agents.
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
}

const PATIENCE: readonly Idle['why'][] = ['pace', 'notDue', 'outage', 'hold', 'done'];

/** The shortest wait of all endpoints, and the reason that resolves first. */
function leastIdle(idles: readonly Idle[]): Idle {
  const waits = idles.flatMap(({ waitMs }) => waitMs ?? []);
  const [first] = [...idles].sort((a, b) => PATIENCE.indexOf(a.why) - PATIENCE.indexOf(b.why));
  return { why: first?.why ?? 'done', waitMs: waits.length > 0 ? Math.min(...waits) : null };
}
