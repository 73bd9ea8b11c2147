import PQueue from 'p-queue';
import { endpointId, type EndpointKey, type Lane } from '../domain/document.ts';
import { Budget, periodStart, RateWindow, type BudgetPeriod, type Slot } from '../domain/limits.ts';
import type { Clock } from '../ports/clock.ts';
import type { LedgerQueue } from '../ports/ledger.ts';
import type { EndpointSettings, Limits } from './settings.ts';

/**
 * Holds every upload request to the limits of its endpoint and to the overall ones (promise P6). Two layers, see
 * docs/decisions: windows and budgets seeded from the ledger decide *when* a document may be claimed, so that a
 * restart opens no fresh window and a throttled endpoint takes no other's place; p-queue, with a strict window of
 * its own, is what every request runs through, so that nothing exceeds concurrency or rate.
 */
export class Pacer {
  readonly #clock: Clock;
  readonly #overall: Limiter;
  readonly #endpoints: ReadonlyMap<string, Limiter>;
  #wallAhead: number;

  private constructor(clock: Clock, overall: Limiter, endpoints: ReadonlyMap<string, Limiter>) {
    this.#clock = clock;
    this.#overall = overall;
    this.#endpoints = endpoints;
    this.#wallAhead = clock.now() - clock.monotonic();
  }

  static async create(deps: {
    clock: Clock;
    ledger: LedgerQueue;
    overall: Limits;
    endpoints: readonly EndpointSettings[];
  }): Promise<Pacer> {
    const { clock, ledger } = deps;
    const overall = await Limiter.create(clock, ledger, null, deps.overall);
    const endpoints = new Map<string, Limiter>();
    for (const { key, limits } of deps.endpoints) {
      endpoints.set(endpointId(key), await Limiter.create(clock, ledger, key, limits));
    }
    return new Pacer(clock, overall, endpoints);
  }

  /** Milliseconds until this endpoint may send; `budget` when that is because a budget is spent. */
  delay(endpoint: EndpointKey, lane: Lane): { ms: number; budget: boolean } {
    const delays = [this.#overall, this.#limiter(endpoint)].map((limiter) =>
      limiter.delay(this.#clock, lane),
    );
    return {
      ms: Math.max(...delays.map(({ ms }) => ms)),
      budget: delays.some(({ ms, budget }) => ms > 0 && budget),
    };
  }

  /** Takes a place in every window; call only when `delay` is 0. */
  reserve(endpoint: EndpointKey): Slot {
    const slots = [...this.#overall.reserve(), ...this.#limiter(endpoint).reserve()];
    return {
      sent: (now) => slots.forEach((slot) => slot.sent(now)),
      cancel: () => slots.forEach((slot) => slot.cancel()),
    };
  }

  /** For a request that was not foreseen (a replay): waits for its turn. Null if that would take longer than `withinMs`. */
  async waitForSlot(endpoint: EndpointKey, withinMs: number, signal: AbortSignal): Promise<Slot | null> {
    const latest = this.#clock.monotonic() + withinMs;
    for (;;) {
      const { ms } = this.delay(endpoint, 'fresh');
      if (ms === 0) return this.reserve(endpoint);
      if (this.#clock.monotonic() + ms > latest) return null;
      await this.#clock.sleep(ms, signal);
    }
  }

  /**
   * Runs one request in the place that `slot` took. Rejects on abort, also before the request could start. The place
   * counts from `onStart`: a request that waits for its connection would otherwise reach the service together with
   * those of the next window.
   */
  run<T>(
    endpoint: EndpointKey,
    slot: Slot,
    request: (onStart: () => void) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    this.#heedClockJump();
    const inOverall = () =>
      this.#overall.queue.add(
        async () => {
          let started = false;
          const onStart = (): void => {
            if (!started) slot.sent(this.#clock.monotonic());
            started = true;
          };
          try {
            return await request(onStart);
          } finally {
            onStart();
          }
        },
        { signal },
      );
    return this.#limiter(endpoint).queue.add(inOverall, { signal });
  }

  #limiter(endpoint: EndpointKey): Limiter {
    const limiter = this.#endpoints.get(endpointId(endpoint));
    if (!limiter) throw new Error(`no limits for endpoint ${endpointId(endpoint)}`);
    return limiter;
  }

  /** p-queue's window is on the wall clock: set back by a day, it would stand still for a day. Our own goes on. */
  #heedClockJump(): void {
    const ahead = this.#clock.now() - this.#clock.monotonic();
    if (ahead < this.#wallAhead - 1_000) {
      for (const limiter of [this.#overall, ...this.#endpoints.values()]) limiter.renewQueue();
    }
    this.#wallAhead = ahead;
  }
}

/** The limits of one endpoint, or of all together. */
class Limiter {
  readonly #limits: Limits;
  readonly #window: RateWindow | null;
  readonly #budgets: readonly Budget[];
  queue: PQueue;

  private constructor(limits: Limits, window: RateWindow | null, budgets: readonly Budget[]) {
    this.#limits = limits;
    this.#window = window;
    this.#budgets = budgets;
    this.queue = createQueue(limits);
  }

  static async create(
    clock: Clock,
    ledger: LedgerQueue,
    endpoint: EndpointKey | null,
    limits: Limits,
  ): Promise<Limiter> {
    const now = clock.now();
    let window: RateWindow | null = null;
    if (limits.rate) {
      // The window is a little longer than the interval, and a request starts a little after it is recorded.
      const since = now - 2 * limits.rate.intervalMs;
      const times = await ledger.attemptTimes(endpoint, since, limits.rate.count);
      // A start in the future means that the clock went back: a full window is waited.
      const offset = clock.monotonic() - now;
      window = new RateWindow(
        limits.rate,
        times.map((at) => Math.min(at, now) + offset),
      );
    }
    const budgets: Budget[] = [];
    for (const [period, limit] of [
      ['day', limits.perDay],
      ['month', limits.perMonth],
    ] as [BudgetPeriod, number | null][]) {
      if (limit === null) continue;
      const [latest] = await ledger.attemptTimes(endpoint, 0, 1);
      const at = Math.max(now, latest ?? 0);
      // After a clock that went back: what was sent today and what was sent tomorrow.
      const used = await ledger.countAttempts(endpoint, periodStart(period, now) - 1);
      budgets.push(new Budget(period, limit, used, at));
    }
    return new Limiter(limits, window, budgets);
  }

  delay(clock: Clock, lane: Lane): { ms: number; budget: boolean } {
    const rate = this.#window?.delay(clock.monotonic(), lane === 'backlog') ?? 0;
    const budget = Math.max(0, ...this.#budgets.map((each) => each.delay(clock.now())));
    return { ms: Math.max(rate, budget), budget: budget > 0 };
  }

  reserve(): Slot[] {
    return [
      ...(this.#window ? [this.#window.reserve()] : []),
      ...this.#budgets.map((budget) => budget.reserve()),
    ];
  }

  renewQueue(): void {
    this.queue = createQueue(this.#limits);
  }
}

function createQueue({ concurrency, rate }: Limits): PQueue {
  return rate
    ? new PQueue({ concurrency, interval: rate.intervalMs, intervalCap: rate.count, strict: true })
    : new PQueue({ concurrency });
}
