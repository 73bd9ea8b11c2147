import PQueue from 'p-queue';
import type { EndpointKey, Lane } from '../../core/domain/document.ts';
import {
  backlogPerMinute,
  Budget,
  BUDGET_LIMITS,
  BUDGET_PERIODS,
  periodStart,
  RateWindow,
  type Reservation,
} from '../../core/domain/limits.ts';
import type { Note } from '../../core/domain/note.ts';
import { rateText } from '../../core/domain/rate.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { LedgerQueue } from '../../core/ports/ledgerQueue.ts';
import type { Limits } from '../../core/domain/settings.ts';
import { StartWindow } from './startWindow.ts';

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

/** Reads how much was sent before this process started. */
export type SentBefore = Pick<LedgerQueue, 'attemptTimes' | 'countAttempts'>;

const PRIORITY = { fresh: { priority: 1 }, backlog: { priority: 0 } } as const;

/** The limits of one endpoint, or the overall ones. */
export class Limiter {
  readonly alias: string;
  readonly #limits: Limits;
  readonly #window: RateWindow | null;
  readonly #budgets: readonly Budget[];
  #heldBackAt = -Infinity;
  readonly #slots: PQueue;
  readonly #starts: StartWindow | null;

  private constructor(alias: string, limits: Limits, window: RateWindow | null, budgets: readonly Budget[]) {
    this.alias = alias;
    this.#limits = limits;
    this.#window = window;
    this.#budgets = budgets;
    this.#slots = new PQueue({ concurrency: limits.concurrency });
    this.#starts = createStarts(limits);
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
      // Twice the interval: the window is a little longer than it, and a request starts a little after it is recorded.
      const since = now - 2 * limits.rate.intervalMs;
      const times = await ledger.attemptTimes(endpoint, since, limits.rate.count);
      // A start in the future means that the clock was set back: wait a full window.
      const offset = clock.monotonic() - now;
      window = new RateWindow(
        limits.rate,
        times.map((at) => Math.min(at, now) + offset),
        limits.spread,
      );
    }
    const budgets: Budget[] = [];
    for (const period of BUDGET_PERIODS) {
      const limit = limits[BUDGET_LIMITS[period]];
      if (limit === null) continue;
      const [latest] = await ledger.attemptTimes(endpoint, 0, 1);
      const countSince = (at: number) => ledger.countAttempts(endpoint, periodStart(period, at) - 1, now);
      const ahead =
        latest !== undefined && latest > now ? { at: latest, used: await countSince(latest) } : null;
      // If the clock was set back: the count for the current day and the one for the day of the latest attempt.
      budgets.push(new Budget(period, limit, await countSince(now), now, ahead));
    }
    return new Limiter(alias, limits, window, budgets);
  }

  delay(clock: Clock, lane: Lane): { ms: number; budget: boolean } {
    const rate = this.#window?.delay(clock.monotonic(), lane === 'backlog') ?? 0;
    let budget = 0;
    for (const each of this.#budgets) budget = Math.max(budget, each.delay(clock.now()));
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

  notes(now: number): Note[] {
    const spent = this.#budgets.flatMap((budget) => budget.spent(now) ?? []);
    return spent.map(({ period, limit, untilAt: until }) => ({
      kind: 'spent',
      endpoint: this.alias === '' ? null : this.alias,
      period,
      limit,
      until,
    }));
  }

  reserve(clock: Clock, lane: Lane): Reservation[] {
    return [
      ...(this.#window ? [this.#window.reserve(clock.monotonic(), lane === 'backlog')] : []),
      ...this.#budgets.map((budget) => {
        const slot = budget.reserve();
        return { ...slot, sent: () => slot.sent(clock.now()) };
      }),
    ];
  }

  /** Holds an upload slot until `work` ends; `work` starts once the strict window permits. Waiting fresh documents go first. */
  withSlot(work: () => Promise<void>, lane: Lane): Promise<void> {
    const starts = this.#starts;
    const inWindow = starts === null ? work : () => starts.start().then(work);
    return this.#slots.add(inWindow, PRIORITY[lane]);
  }

  /** Caps the upload slots at `atOnce` from now on. */
  limitTo(atOnce: number): void {
    if (this.#slots.concurrency !== atOnce) this.#slots.concurrency = atOnce;
  }

  /** Call when the wall clock was set back. */
  renewWindow(): void {
    this.#starts?.renew();
  }
}

function createStarts({ rate }: Limits): StartWindow | null {
  return rate ? new StartWindow(rate) : null;
}
