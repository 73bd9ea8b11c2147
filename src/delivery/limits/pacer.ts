import PQueue from 'p-queue';
import { endpointId, type EndpointKey, type Lane } from '../../core/domain/document.ts';
import {
  backlogPerMinute,
  Budget,
  periodStart,
  RateWindow,
  type BudgetPeriod,
  type Reservation,
} from '../../core/domain/limits.ts';
import type { Answer, Outcome } from '../../core/domain/outcome.ts';
import { Pace } from './pace.ts';
import { rateText } from '../../core/domain/rate.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { LedgerQueue } from '../../core/ports/ledger.ts';
import { ClockWatch } from '../../core/domain/clockWatch.ts';
import { paceNote, spentNote } from './paceNote.ts';
import type { EndpointSettings, Limits } from '../../core/domain/settings.ts';

export interface PacerDeps {
  readonly clock: Clock;
  readonly ledger: SentBefore | null;
  readonly overall: Limits;
  readonly endpoints: readonly EndpointSettings[];
}

/** A rate that documents wait for. */
export interface LimitedBy {
  /** Alias of the endpoint whose rate it is; null: the rate of all together. */
  readonly endpoint: string | null;
  readonly rate: string;
  /** So many of a backlog leave in a minute. */
  readonly perMinute: number;
}

/** What was held back so long ago says nothing of now; between two requests of a low rate lies more. */
const LIMITED_FOR_MS = 5_000;

type SentBefore = Pick<LedgerQueue, 'attemptTimes' | 'countAttempts'>;

const NOTHING_SENT: SentBefore = {
  attemptTimes: () => Promise.resolve([]),
  countAttempts: () => Promise.resolve(0),
};

/**
 * Holds every upload request to the limits of its endpoint and to the overall ones (promise P6). Two layers, see
 * docs/decisions: windows and budgets seeded from the ledger decide *when* a document may be claimed, so that a
 * restart opens no fresh window and a throttled endpoint takes no other's place; p-queue, with a strict window of
 * its own, is what every request runs through, so that nothing exceeds concurrency or rate. Below these limits, each
 * endpoint has a pace that adapts to those which the service has and tells nobody (domain/pace.ts).
 */
export class Pacer {
  readonly #clock: Clock;
  #overall: Limiter;
  #endpoints: ReadonlyMap<string, Limiter>;
  readonly #watch: ClockWatch;
  /** Until when (monotonic) the fleet's windows of an endpoint are full. */
  readonly #deferred = new Map<string, number>();
  /** When the request was under way that brought this answer; monotonic. */
  #onTheWire = 0;
  readonly #timings = new WeakMap<object, { readonly startedAt: number; readonly endedAt: number }>();

  private constructor(clock: Clock, overall: Limiter, endpoints: ReadonlyMap<string, Limiter>) {
    this.#clock = clock;
    this.#overall = overall;
    this.#endpoints = endpoints;
    this.#watch = new ClockWatch(clock);
  }

  /** `ledger`: what was sent before. Null: that can't be asked yet, and nothing is sent before `seed`. */
  static async create(deps: PacerDeps): Promise<Pacer> {
    const { clock } = deps;
    const ledger = deps.ledger ?? NOTHING_SENT;
    const overall = await Limiter.create(clock, ledger, null, deps.overall, '');
    const endpoints = new Map<string, Limiter>();
    for (const { key, limits, alias } of deps.endpoints) {
      const atOnce = Math.min(limits.concurrency, deps.overall.concurrency);
      const own = { ...limits, concurrency: atOnce };
      endpoints.set(endpointId(key), await Limiter.create(clock, ledger, key, own, alias));
    }
    return new Pacer(clock, overall, endpoints);
  }

  /** What was sent before can be asked now. */
  async seed(deps: PacerDeps): Promise<void> {
    const seeded = await Pacer.create(deps);
    this.#overall = seeded.#overall;
    this.#endpoints = seeded.#endpoints;
  }

  /** Milliseconds until this endpoint may send; `budget` when that is because a budget is spent. */
  delay(endpoint: EndpointKey, lane: Lane): { ms: number; budget: boolean } {
    const own = this.#limiter(endpoint);
    const delays = [this.#overall, own].map((limiter) => limiter.delay(this.#clock, lane));
    const now = this.#clock.monotonic();
    const deferred = Math.max(0, (this.#deferred.get(endpointId(endpoint)) ?? 0) - now);
    return {
      ms: Math.max(own.pace.delay(now), deferred, ...delays.map(({ ms }) => ms)),
      budget: delays.some(({ ms, budget }) => ms > 0 && budget),
    };
  }

  /** The agents of the fleet have used up what they share of this endpoint's limits: nothing more of it for so long. */
  defer(endpoint: EndpointKey, ms: number): void {
    const id = endpointId(endpoint);
    this.#deferred.set(id, Math.max(this.#deferred.get(id) ?? 0, this.#clock.monotonic() + ms));
  }

  /** A document of this endpoint waits although nothing but its turn keeps it. */
  heldBack(endpoint: EndpointKey, lane: Lane): void {
    for (const limiter of [this.#overall, this.#limiter(endpoint)]) limiter.heldBack(this.#clock, lane);
  }

  /** The rates for which documents wait at present. */
  limitedBy(): LimitedBy[] {
    const now = this.#clock.monotonic();
    return [this.#overall, ...this.#endpoints.values()].flatMap((limiter) => limiter.limitedBy(now) ?? []);
  }

  /** Requests that the service sees: their head has left, and no whole answer has come. */
  get onTheWire(): number {
    return this.#onTheWire;
  }

  /** Takes a place in every window; call only when `delay` is 0. */
  reserve(endpoint: EndpointKey, lane: Lane = 'fresh'): Reservation {
    const own = this.#limiter(endpoint);
    const now = this.#clock.monotonic();
    const slots = [...this.#overall.reserve(now, lane), ...own.reserve(now, lane)];
    own.pace.started(now);
    return {
      sent: (now) => slots.forEach((slot) => slot.sent(now)),
      cancel: () => slots.forEach((slot) => slot.cancel()),
    };
  }

  /** How many uploads to this endpoint may be under way at once at its present pace. */
  atOnce(endpoint: EndpointKey): number {
    return this.#limiter(endpoint).pace.atOnce;
  }

  /** How long this endpoint's answers take of late; 0 before the first. */
  typicalMs(endpoint: EndpointKey): number {
    return this.#limiter(endpoint).pace.typicalMs;
  }

  /** What an answer says about the pace; once for each answer that `run` resolved. */
  judged(endpoint: EndpointKey, answer: Answer, outcome: Outcome['kind'], bytes: number): void {
    const timing = this.#timings.get(answer);
    if (!timing) return;
    const { pace } = this.#limiter(endpoint);
    switch (outcome) {
      case 'accepted':
      case 'failed':
      case 'unconfirmed':
        pace.succeeded({ ...timing, bytes });
        break;
      case 'slowDown':
        pace.refused(timing.startedAt, timing.endedAt);
        break;
      case 'unauthorized':
      case 'endpointHold':
      case 'serviceTrouble':
        // These close a gate; the pace after it starts over (`beginAnew`).
        break;
    }
  }

  /** The endpoint is closed for a while: after that, one upload first, and then more step by step. Idempotent. */
  beginAnew(endpoint: EndpointKey): void {
    this.#limiter(endpoint).pace.outage();
  }

  /**
   * One plain sentence for each budget that is spent, and for each endpoint whose pace is below its limits: what is less, and why. The
   * few requests after an outage that go one by one are not worth one.
   */
  notes(): string[] {
    const limiters = [this.#overall, ...this.#endpoints.values()];
    return limiters.flatMap((limiter) => limiter.notes(this.#clock.now()));
  }

  /** For a request that was not foreseen (a replay): waits for its turn. Null if that would take longer than `withinMs`. */
  async waitForSlot(
    endpoint: EndpointKey,
    withinMs: number,
    signal: AbortSignal,
  ): Promise<Reservation | null> {
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
    slot: Reservation,
    request: (onStart: () => void) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    this.#heedClockJump();
    const inOverall = () =>
      this.#overall.queue.add(async () => {
        // Its own signal would cost as much again as both queues.
        signal.throwIfAborted();
        let startedAt: number | null = null;
        const onStart = (): void => {
          if (startedAt !== null) return;
          startedAt = this.#clock.monotonic();
          slot.sent(startedAt);
        };
        let isOnTheWire = false;
        const onHead = (): void => {
          if (!isOnTheWire) this.#onTheWire += 1;
          isOnTheWire = true;
          onStart();
        };
        const askedAt = this.#clock.monotonic();
        try {
          const answer = await request(onHead);
          if (typeof answer === 'object' && answer !== null) {
            this.#timings.set(answer, { startedAt: askedAt, endedAt: this.#clock.monotonic() });
          }
          return answer;
        } finally {
          if (isOnTheWire) this.#onTheWire -= 1;
          onStart();
        }
      });
    return this.#limiter(endpoint).queue.add(inOverall, { signal });
  }

  #limiter(endpoint: EndpointKey): Limiter {
    const limiter = this.#endpoints.get(endpointId(endpoint));
    if (!limiter) throw new Error(`no limits for endpoint ${endpointId(endpoint)}`);
    return limiter;
  }

  /** p-queue's window is on the wall clock: set back by a day, it would stand still for a day. Our own goes on. */
  #heedClockJump(): void {
    if (this.#watch.takeJump() >= 0) return;
    for (const limiter of [this.#overall, ...this.#endpoints.values()]) limiter.renewQueue();
  }
}

/** The limits of one endpoint, or of all together. */
class Limiter {
  readonly alias: string;
  readonly pace: Pace;
  readonly #limits: Limits;
  readonly #window: RateWindow | null;
  readonly #budgets: readonly Budget[];
  #heldBackAt = -Infinity;
  queue: PQueue;

  private constructor(alias: string, limits: Limits, window: RateWindow | null, budgets: readonly Budget[]) {
    this.alias = alias;
    this.pace = new Pace(limits.concurrency);
    this.#limits = limits;
    this.#window = window;
    this.#budgets = budgets;
    this.queue = createQueue(limits);
  }

  static async create(
    clock: Clock,
    ledger: SentBefore,
    endpoint: EndpointKey | null,
    limits: Limits,
    alias: string,
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
        limits.spread,
      );
    }
    const budgets: Budget[] = [];
    for (const [period, limit] of [
      ['day', limits.perDay],
      ['month', limits.perMonth],
    ] as [BudgetPeriod, number | null][]) {
      if (limit === null) continue;
      const [latest] = await ledger.attemptTimes(endpoint, 0, 1);
      const countSince = (at: number) => ledger.countAttempts(endpoint, periodStart(period, at) - 1, now);
      const ahead =
        latest !== undefined && latest > now ? { at: latest, used: await countSince(latest) } : null;
      // After a clock that went back: what was sent today and what was sent tomorrow.
      budgets.push(new Budget(period, limit, await countSince(now), now, ahead));
    }
    return new Limiter(alias, limits, window, budgets);
  }

  delay(clock: Clock, lane: Lane): { ms: number; budget: boolean } {
    const rate = this.#window?.delay(clock.monotonic(), lane === 'backlog') ?? 0;
    const budget = Math.max(0, ...this.#budgets.map((each) => each.delay(clock.now())));
    return { ms: Math.max(rate, budget), budget: budget > 0 };
  }

  heldBack(clock: Clock, lane: Lane): void {
    const now = clock.monotonic();
    if ((this.#window?.delay(now, lane === 'backlog') ?? 0) > 0) this.#heldBackAt = now;
  }

  limitedBy(now: number): LimitedBy | null {
    const { rate } = this.#limits;
    if (rate === null) return null;
    const perMinute = backlogPerMinute(rate);
    if (now - this.#heldBackAt > Math.max(LIMITED_FOR_MS, 120_000 / perMinute, rate.intervalMs)) return null;
    return { endpoint: this.alias === '' ? null : this.alias, rate: rateText(rate), perMinute };
  }

  notes(now: number): string[] {
    const { alias } = this;
    const spent = this.#budgets.flatMap((budget) => budget.spent(now) ?? []);
    const { reduced } = this.pace;
    return [
      ...spent.map((each) => spentNote(alias, each)),
      ...(reduced && reduced.cause !== 'outage' ? [paceNote(alias, reduced)] : []),
    ];
  }

  reserve(now: number, lane: Lane): Reservation[] {
    return [
      ...(this.#window ? [this.#window.reserve(now, lane === 'backlog')] : []),
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
