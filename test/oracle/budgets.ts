/** P6: a day's or month's budget is neither exceeded, nor kept too long, nor counted double. */
import type { Limits } from './evidence.ts';
import type { Attempt } from './journal.ts';
import type { Rule } from './rule.ts';
import type { Arrival, Seen } from './seen.ts';

interface Budget {
  /** Null: for all endpoints together. */
  readonly uid: string | null;
  readonly period: Period;
  readonly limit: number;
}

type Period = 'day' | 'month';

function* budgetsOf(uid: string | null, { perDay, perMonth }: Limits = {}): Generator<Budget> {
  if (perDay) yield { uid, period: 'day', limit: perDay };
  if (perMonth) yield { uid, period: 'month', limit: perMonth };
}

/** The budgets that requests of this endpoint are subject to. */
function budgetsFor({ settings: { overall, endpoints = {} } }: Seen, uid: string): readonly Budget[] {
  return [...budgetsOf(null, overall), ...budgetsOf(uid, endpoints[uid])];
}

/** The local day or month that contains this time, as a number; later ones are greater. */
function dateOf(period: Period, wall: number): number {
  const date = new Date(wall);
  return (date.getFullYear() * 12 + date.getMonth()) * 32 + (period === 'day' ? date.getDate() : 0);
}

/** When the next local day or month begins. */
function nextBegin(period: Period, wall: number): number {
  const date = new Date(wall);
  const [year, month] = [date.getFullYear(), date.getMonth()];
  return (
    period === 'day' ? new Date(year, month, date.getDate() + 1) : new Date(year, month + 1, 1)
  ).getTime();
}

/** A request near the begin of a period may have been sent in the other one. */
function isSurely({ period }: Budget, wall: number, { leewayMs = 0 }: Seen['settings']): boolean {
  return dateOf(period, wall - leewayMs) === dateOf(period, wall + leewayMs);
}

/** Requests that the service saw in the period of the newest one. */
function arrivedWith(seen: Seen, budget: Budget, { wall }: Arrival): readonly Arrival[] {
  const { uid, period } = budget;
  const own = seen.arrivals.filter((each) => uid === null || each.uid === uid);
  if (wall === null) return own;
  if (!isSurely(budget, wall, seen.settings)) return [];
  return own.filter(
    (each) =>
      each.wall !== null &&
      dateOf(period, each.wall) === dateOf(period, wall) &&
      isSurely(budget, each.wall, seen.settings),
  );
}

/**
 * Whether a request may count in the present period. One that arrived in this life of the agent counts when it was sent. Of any
 * other, the agent knows only when it was recorded and when it ended.
 */
function mayCount(seen: Seen, attempt: Attempt, period: Period, wall: number): boolean {
  const { beganAt, endedAt } = attempt;
  const arrival = attempt.arrival === null ? null : seen.arrival(attempt.arrival);
  const now = dateOf(period, wall);
  if (arrival !== null && arrival.wall !== null && !seen.livesEnded.has(arrival.life))
    return dateOf(period, arrival.wall) === now;
  return dateOf(period, beganAt) <= now && (endedAt === null || dateOf(period, endedAt) >= now);
}

/** The most that may be used of a budget by now. Requests are recorded before they are sent, so those that a crash prevented count too. */
function mostUsed(seen: Seen, { uid, period }: Budget): number {
  const own = [...seen.books.attempts.values()].filter((each) => uid === null || each.uid === uid);
  const wall = seen.wall();
  // If the clock was set, what was sent meanwhile has no known day.
  if (wall === null || seen.settings.clock === 'set') return own.length;
  return own.filter((each) => mayCount(seen, each, period, wall)).length;
}

/** Whether a document of this endpoint has to wait for a budget. */
export function isBudgetSpent(seen: Seen, uid: string): boolean {
  return budgetsFor(seen, uid).some((budget) => mostUsed(seen, budget) >= budget.limit);
}

/** When all budgets that documents wait for have begun anew; null if none waits for a budget. */
export function budgetsBegin(seen: Seen): number | null {
  const wall = seen.wall();
  const waiting = seen.standings().filter(({ state }) => ['queued', 'uploading', 'held'].includes(state));
  const spent = waiting
    .flatMap(({ uid }) => budgetsFor(seen, uid))
    .filter((budget) => mostUsed(seen, budget) >= budget.limit);
  if (wall === null || spent.length === 0) return null;
  return Math.max(...spent.map(({ period }) => nextBegin(period, wall)));
}

export const BUDGETS: readonly Rule[] = [
  {
    promise: 'P6',
    rule: 'budgets',
    on: {
      *request({ request: { id } }, seen) {
        const arrival = seen.arrival(id);
        if (seen.settings.clock === 'set') return;
        for (const budget of budgetsFor(seen, arrival.uid)) {
          const { uid, period, limit } = budget;
          const { length } = arrivedWith(seen, budget, arrival);
          if (length > limit) yield `${length} requests in a ${period} ${where(uid)}; the limit is ${limit}`;
        }
      },
      *status({ status: { spent } }, seen) {
        const wall = seen.wall();
        if (wall === null || seen.settings.clock === 'set') return;
        for (const { uid, period, until } of spent)
          if (until !== nextBegin(period, wall))
            yield `the budget of a ${period} ${where(uid)} is said to begin anew at ${new Date(until).toISOString()}`;
      },
    },
    *owed(seen) {
      const { overall, endpoints = {} } = seen.settings;
      for (const { uid, period } of seen.status?.spent ?? [])
        for (const budget of budgetsOf(uid, uid === null ? overall : endpoints[uid])) {
          const used = mostUsed(seen, budget);
          if (budget.period === period && used < budget.limit)
            yield `the budget of a ${period} ${where(uid)} counts as spent, but at most ${used} of ${budget.limit} are`;
        }
    },
  },
];

function where(uid: string | null): string {
  return uid === null ? 'overall' : `at ${uid}`;
}
