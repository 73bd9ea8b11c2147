import PQueue from 'p-queue';
import { endpointId, type EndpointKey, type Lane } from '../../core/domain/document.ts';
import {
  backlogPerMinute,
  Budget,
  BUDGET_LIMITS,
  BUDGET_PERIODS,
  periodStart,
  RateWindow,
  windowOf,
} from '../../core/domain/limits.ts';
import type { Note } from '../../core/domain/note.ts';
import type { Outcome } from '../../core/domain/outcome.ts';
import { rateText } from '../../core/domain/rate.ts';
import type { EndpointSettings, Limits } from '../../core/domain/settings.ts';
import type { BeginItem } from '../../core/messages.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { LedgerQueue } from '../../core/ports/ledgerQueue.ts';
import { Pace, type Served } from './pace.ts';

/** Reads how much was sent before this process started. */
export type SentBefore = Pick<LedgerQueue, 'attemptTimes' | 'countAttempts' | 'now'>;

export interface PacerDeps {
  readonly clock: Clock;
  readonly ledger: SentBefore | null;
  readonly overall: Limits;
  readonly endpoints: readonly EndpointSettings[];
}

/** A rate that documents are waiting for. */
export interface LimitedBy {
  /** Alias of the endpoint with this rate; null for the overall rate. */
  readonly endpoint: string | null;
  readonly rate: string;
  /** Backlog documents sent per minute at this rate. */
  readonly perMinute: number;
}

/** How long a held-back document counts as waiting for the rate; longer for low rates, whose requests are further apart. */
const LIMITED_FOR_MS = 5_000;
const PRIORITY = { fresh: { priority: 1 }, backlog: { priority: 0 } } as const;

/** The limits of one endpoint, with the pace that the service seems to allow, or the overall ones. */
interface Limiter {
  /** Null: all endpoints together. */
  readonly endpoint: string | null;
  readonly limits: Limits;
  readonly window: RateWindow | null;
  readonly budgets: readonly Budget[];
  readonly pace: Pace;
  readonly slots: PQueue;
  heldBackAt: number;
  /** When (monotonic) the fleet's windows of the endpoint have room again. */
  deferredUntil: number;
}

/**
 * Enforces the limits of each endpoint and the overall ones on every upload request (promise P6). Windows and budgets, seeded from
 * the ledger so that a restart opens no fresh ones, decide *when* an upload may begin; p-queue alone counts how many are under way.
 * Below these limits, each endpoint has a pace that adapts to unannounced limits of the service (pace.ts). A request's place in the
 * windows and budgets is
 *
 *   free ──take──▶ taken ──its head is written (run)──▶ used ──an interval, a day or a month passes──▶ free
 *     ▲              └──giveBack: it does not leave──▶ free
 */
export class Pacer {
  readonly #clock: Clock;
  /** Wall-clock milliseconds of the ledger: budgets are for all agents that share it, whatever their clocks say. */
  #now: () => number;
  #overall: Limiter;
  #endpoints: ReadonlyMap<string, Limiter>;
  #onTheWire = 0;

  private constructor(
    clock: Clock,
    now: () => number,
    overall: Limiter,
    endpoints: ReadonlyMap<string, Limiter>,
  ) {
    this.#clock = clock;
    this.#now = now;
    this.#overall = overall;
    this.#endpoints = endpoints;
  }

  /** `ledger` knows what was sent before. Null if it can't be read yet: then nothing may be sent before `seed`. */
  static async create({ clock, ledger, overall, endpoints }: PacerDeps): Promise<Pacer> {
    const now = (): number => (ledger ?? clock).now();
    const limiters = new Map<string, Limiter>();
    for (const { key, limits, alias } of endpoints) {
      const concurrency = Math.min(limits.concurrency, overall.concurrency);
      const pace = new Pace(concurrency);
      const own = await createLimiter(clock, ledger, key, { ...limits, concurrency }, alias, pace);
      own.slots.concurrency = pace.atOnce;
      limiters.set(endpointId(key), own);
    }
    return new Pacer(clock, now, await createLimiter(clock, ledger, null, overall, null), limiters);
  }

  /** Rebuilds the limits once the ledger can be read. */
  async seed(deps: PacerDeps): Promise<void> {
    const seeded = await Pacer.create(deps);
    this.#now = seeded.#now;
    this.#overall = seeded.#overall;
    this.#endpoints = seeded.#endpoints;
  }

  /* ---- When ---- */

  /** Milliseconds until this endpoint may send; `budget` if a spent budget is the cause. */
  delay(endpoint: EndpointKey, lane: Lane): { ms: number; budget: boolean } {
    const own = this.#of(endpoint);
    const [now, wallNow] = [this.#clock.monotonic(), this.#now()];
    let ms = Math.max(0, own.pace.delay(now), own.deferredUntil - now);
    let budgetMs = 0;
    for (const { window, budgets } of [this.#overall, own]) {
      if (window !== null) ms = Math.max(ms, window.delay(now, lane === 'backlog'));
      for (const budget of budgets) budgetMs = Math.max(budgetMs, budget.delay(wallNow));
    }
    return { ms: Math.max(ms, budgetMs), budget: budgetMs > 0 };
  }

  /** Takes a place in every window and budget. Call only if `delay` is 0. */
  take(endpoint: EndpointKey, lane: Lane): void {
    const own = this.#of(endpoint);
    const now = this.#clock.monotonic();
    for (const { window, budgets } of [this.#overall, own]) {
      window?.take(now, lane === 'backlog');
      for (const budget of budgets) budget.take();
    }
    own.pace.started(now);
  }

  /** Gives a place back whose request does not leave. */
  giveBack(endpoint: EndpointKey, lane: Lane): void {
    for (const { window, budgets } of [this.#overall, this.#of(endpoint)]) {
      window?.giveBack(lane === 'backlog');
      for (const budget of budgets) budget.giveBack();
    }
  }

  /** Waits for the turn of an unplanned, fresh request (a replay), and takes its place. False if that would take longer than `withinMs`. */
  async takeSoon(endpoint: EndpointKey, withinMs: number, signal: AbortSignal): Promise<boolean> {
    const latest = this.#clock.monotonic() + withinMs;
    for (;;) {
      const { ms } = this.delay(endpoint, 'fresh');
      if (ms === 0) break;
      if (this.#clock.monotonic() + ms > latest) return false;
      await this.#clock.sleep(ms, signal);
    }
    this.take(endpoint, 'fresh');
    return true;
  }

  /** Blocks the endpoint for `ms`, because the fleet has used up its shared limits. */
  defer(endpoint: EndpointKey, ms: number): void {
    const own = this.#of(endpoint);
    own.deferredUntil = Math.max(own.deferredUntil, this.#clock.monotonic() + ms);
  }

  /* ---- How many ---- */

  /** How many uploads to this endpoint may be in flight at its present pace. */
  atOnce(endpoint: EndpointKey): number {
    return this.#of(endpoint).pace.atOnce;
  }

  /**
   * Runs `work` once there is an upload slot, which it holds until its promise resolves. Waiting fresh documents of an endpoint go
   * first.
   */
  inSlot(endpoint: EndpointKey, lane: Lane, work: () => Promise<void>): Promise<void> {
    const { slots } = this.#of(endpoint);
    // The only endpoint has no more slots than there are overall.
    const inOverall = this.#endpoints.size === 1 ? work : () => this.#overall.slots.add(work, PRIORITY[lane]);
    return slots.add(inOverall, PRIORITY[lane]);
  }

  /**
   * Runs one request, whose place was taken. The place counts from `onStart`: otherwise a request that waits for its connection would
   * reach the service together with those of the next window.
   */
  async run<T>(endpoint: EndpointKey, request: (onStart: () => void) => Promise<T>): Promise<T> {
    const limiters = [this.#overall, this.#of(endpoint)];
    let hasStarted = false;
    const start = (): void => {
      if (hasStarted) return;
      hasStarted = true;
      for (const { window, budgets } of limiters) {
        window?.started(this.#clock.monotonic());
        for (const budget of budgets) budget.started(this.#now());
      }
    };
    let isOnTheWire = false;
    const onStart = (): void => {
      if (!isOnTheWire) this.#onTheWire += 1;
      isOnTheWire = true;
      start();
    };
    try {
      return await request(onStart);
    } finally {
      if (isOnTheWire) this.#onTheWire -= 1;
      // Of one whose head was not seen to leave, nothing is known.
      start();
    }
  }

  /** Number of requests whose head was sent and whose answer is not complete. */
  get onTheWire(): number {
    return this.#onTheWire;
  }

  /* ---- The pace ---- */

  /** Typical answer time of this endpoint in milliseconds; 0 before the first answer. */
  typicalMs(endpoint: EndpointKey): number {
    return this.#of(endpoint).pace.typicalMs;
  }

  /** Adapts the pace to an answer. */
  judged(endpoint: EndpointKey, outcome: Outcome['kind'], served: Served): void {
    const own = this.#of(endpoint);
    switch (outcome) {
      case 'accepted':
      case 'failed':
      case 'unconfirmed':
        own.pace.succeeded(served);
        break;
      case 'slowDown':
        own.pace.refused(served.startedAt, served.endedAt);
        break;
      case 'unauthorized':
      case 'endpointHold':
      case 'serviceTrouble':
        // These close a gate; the pace after it starts over (`beginAnew`).
        break;
    }
    limitSlots(own);
  }

  /** Restarts the endpoint's pace at one upload at a time, after a hold or an outage. Idempotent. */
  beginAnew(endpoint: EndpointKey): void {
    const own = this.#of(endpoint);
    own.pace.outage();
    limitSlots(own);
  }

  /* ---- What is said of it ---- */

  /** Notes that a document of this endpoint waits for nothing but the rate. */
  heldBack(endpoint: EndpointKey, lane: Lane): void {
    const now = this.#clock.monotonic();
    for (const limiter of [this.#overall, this.#of(endpoint)])
      if ((limiter.window?.delay(now, lane === 'backlog') ?? 0) > 0) limiter.heldBackAt = now;
  }

  /** The rates that documents are waiting for. */
  limitedBy(): LimitedBy[] {
    const now = this.#clock.monotonic();
    return this.#all.flatMap(({ endpoint, limits: { rate }, heldBackAt }) => {
      if (rate === null) return [];
      const perMinute = backlogPerMinute(rate);
      const forMs = Math.max(LIMITED_FOR_MS, 120_000 / perMinute, rate.intervalMs);
      return now - heldBackAt > forMs ? [] : { endpoint, rate: rateText(rate), perMinute };
    });
  }

  /**
   * A note for each spent budget and each endpoint whose pace is reduced. None for the restart after an outage, which takes only a
   * few requests.
   */
  notes(): Note[] {
    const now = this.#now();
    const spent = this.#all.flatMap(({ endpoint, budgets }) =>
      budgets.flatMap((budget): Note[] => {
        const until = budget.spent(now);
        if (until === null) return [];
        const { period, limit, untilAt } = until;
        return [{ kind: 'spent', endpoint, period, limit, until: untilAt }];
      }),
    );
    const slowed = this.#all.flatMap(({ endpoint, pace: { reduced } }): Note[] => {
      if (endpoint === null || reduced === null || reduced.cause === 'outage') return [];
      return [{ kind: 'slowed', endpoint, ...reduced, cause: reduced.cause }];
    });
    return [...spent, ...slowed];
  }

  get #all(): Limiter[] {
    return [this.#overall, ...this.#endpoints.values()];
  }

  #of(endpoint: EndpointKey): Limiter {
    const own = this.#endpoints.get(endpointId(endpoint));
    if (!own) throw new Error(`no limits for endpoint ${endpointId(endpoint)}`);
    return own;
  }
}

function limitSlots({ slots, pace }: Limiter): void {
  if (slots.concurrency !== pace.atOnce) slots.concurrency = pace.atOnce;
}

async function createLimiter(
  clock: Clock,
  ledger: SentBefore | null,
  key: EndpointKey | null,
  limits: Limits,
  endpoint: string | null,
  pace = new Pace(limits.concurrency),
): Promise<Limiter> {
  const now = (ledger ?? clock).now();
  const { rate, spread } = limits;
  let window: RateWindow | null = null;
  if (rate) {
    // Twice the interval: the window is a little longer than it, and a request starts a little after it is recorded.
    const since = now - 2 * rate.intervalMs;
    const times = (await ledger?.attemptTimes(key, since, rate.count)) ?? [];
    // A start in the future means that the clock was set back: wait a full window.
    const offset = clock.monotonic() - now;
    const seeds = times.map((at) => Math.min(at, now) + offset);
    window = new RateWindow(rate, seeds, spread);
  }
  const budgets: Budget[] = [];
  for (const period of BUDGET_PERIODS) {
    const limit = limits[BUDGET_LIMITS[period]];
    if (limit === null) continue;
    const [latest] = (await ledger?.attemptTimes(key, 0, 1)) ?? [];
    const countSince = async (at: number): Promise<number> =>
      (await ledger?.countAttempts(key, periodStart(period, at) - 1, now)) ?? 0;
    // If the clock was set back: the count for the current day and the one for the day of the latest attempt.
    const ahead =
      latest !== undefined && latest > now ? { at: latest, used: await countSince(latest) } : null;
    budgets.push(new Budget(period, limit, await countSince(now), now, ahead));
  }
  const slots = new PQueue({ concurrency: limits.concurrency });
  return { endpoint, limits, window, budgets, pace, slots, heldBackAt: -Infinity, deferredUntil: 0 };
}

/** What of a request to an endpoint with these limits the agents of a fleet decide together, when it begins. */
export function sharedLimits(limits: Limits, lane: Lane): Pick<BeginItem, 'limit' | 'budgets'> {
  const budgets = BUDGET_PERIODS.flatMap((period) => {
    const count = limits[BUDGET_LIMITS[period]];
    return count === null ? [] : [{ period, count }];
  });
  if (limits.rate === null) return { budgets };
  const { intervalMs, reserved } = windowOf(limits.rate);
  const count = limits.rate.count - (lane === 'backlog' ? reserved : 0);
  return { budgets, limit: { count, windowMs: Math.ceil(intervalMs) } };
}
