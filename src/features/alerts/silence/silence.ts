import { dayOf, weekdayOf, type Arrivals } from './arrivals.ts';
import { chanceOfDayOff, isOdd, rhythmOf } from './rhythm.ts';

/*
 * Whether a folder is silent in which, by its own history, scans would have come by now. Nothing is configured; what is
 * usual is read from the same weekdays of the last nine weeks. What is said of zero is a probability under a negative
 * binomial distribution, broader than the counts seen: a handful of weeks never shows the worst of them. Visits to the
 * scanner are what is counted for that, since forty receipts that one person brings come as one or not at all.
 */

const WEEKS = 9;
/** Back from now; whoever has not looked for longer knows. */
const LONGEST_DAYS = 14;
/** Days of history that are looked at, those of a long silence included. */
export const HISTORY_DAYS = 7 * WEEKS + LONGEST_DAYS + 1;
/** Weeks that a weekday must have been seen with scans before anything is said of it. */
const LEAST_DAYS = 4;
/** A part of a day in which usually fewer come says nothing. */
const LEAST_LEVEL = 5;
/** No counts are so even that the square of their relative spread beyond chance is below this. */
const LEAST_SPREAD = 0.08;
/** Silence that would come about once in so many such spans by itself is no news. */
const RARE = 1 / 1_000;

export interface Watched {
  readonly arrivals: Arrivals;
  /** Since when all that came was seen, without a gap; milliseconds. */
  readonly since: number;
  readonly now: number;
  /** Days on which the office was closed, as far as others tell. Numbers as `dayOf` gives them. */
  readonly isClosed?: (day: number) => boolean;
}

/** Scans that came in the same time of the weeks before: the fewest and the most. */
export interface Silence {
  readonly low: number;
  readonly high: number;
  /** How many weeks those are, at least. */
  readonly weeks: number;
  /** The last scan; milliseconds. */
  readonly last: number;
  /** Where it is one day's: from which hour, until which one. */
  readonly span: { readonly weekday: number; readonly from: number; readonly until: number } | null;
}

/** Null: scans came, or none had to come yet, or nothing can be said. */
export function silenceOf({ arrivals, since, now, isClosed = () => false }: Watched): Silence | null {
  const { last } = arrivals;
  if (last === null || last > now) return null;
  const begin = Math.max(last, since);
  const today = dayOf(now);
  let chance = 1;
  let [low, high, weeks, spans] = [0, 0, WEEKS, 0];
  let span: Silence['span'] = null;
  for (let day = Math.max(dayOf(begin), today - LONGEST_DAYS); day <= today; day += 1) {
    if (day !== today && isClosed(day)) continue;
    const from = day === dayOf(begin) ? hourAfter(begin) : 0;
    const until = day === today ? new Date(now).getHours() : 24;
    const usual = until > from ? usualOn(arrivals, day, { from, until }, isClosed) : null;
    if (usual === null) continue;
    chance *= usual.chanceOfNone;
    low += usual.low;
    high += usual.high;
    weeks = Math.min(weeks, usual.weeks);
    spans += 1;
    span = spans === 1 ? { weekday: weekdayOf(day), from, until } : null;
  }
  return chance < RARE ? { low, high, weeks, last, span } : null;
}

interface Usual {
  readonly low: number;
  readonly high: number;
  readonly weeks: number;
  readonly chanceOfNone: number;
}

/** Of that part of a day, by the same weekdays before it; null where that says nothing of zero. */
function usualOn(
  arrivals: Arrivals,
  day: number,
  { from, until }: { readonly from: number; readonly until: number },
  isClosed: (day: number) => boolean,
): Usual | null {
  const days: number[] = [];
  for (let week = 1; week <= WEEKS; week += 1)
    if (arrivals.total(day - 7 * week) > 0) days.push(day - 7 * week);
  if (days.length < LEAST_DAYS) return null;
  const scans = days.map((each) => arrivals.scans(each, from, until));
  // Where it happened in a few weeks, it is no rarity.
  if (scans.includes(0) || levelOf(scans) < LEAST_LEVEL) return null;
  const visits = days.map((each) => arrivals.visits(each, from, until));
  const isWhole = from === 0 && until === 24;
  if (levelOf(visits) < LEAST_LEVEL && !isWhole) return null;
  const rhythm = rhythmOf(arrivals, day, WEEKS, isClosed);
  if (!rhythm.working.has(weekdayOf(day)) || isOdd(rhythm)) return null;
  const chances = [chanceOfNone(visits), ...(isWhole ? [chanceOfDayOff(rhythm)] : [])];
  return {
    low: Math.min(...scans),
    high: Math.max(...scans),
    weeks: days.length,
    chanceOfNone: Math.min(...chances),
  };
}

/** A folder that gets less and less is judged by what it gets now. */
function levelOf(counts: readonly number[]): number {
  return Math.min(median(counts), median(counts.slice(0, 3)));
}

function chanceOfNone(visits: readonly number[]): number {
  const spread = LEAST_SPREAD + observedSpread(visits);
  return (1 + levelOf(visits) * spread) ** (-1 / spread);
}

/** The square of the coefficient of variation, without what chance gives to counts anyway. */
function observedSpread(counts: readonly number[]): number {
  const mean = counts.reduce((sum, count) => sum + count, 0) / counts.length;
  const variance = counts.reduce((sum, count) => sum + (count - mean) ** 2, 0) / (counts.length - 1);
  return Math.max(0, variance - mean) / mean ** 2;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2;
}

/** The first full hour of that day that begins then or later; 24 if none does. */
function hourAfter(at: number): number {
  const date = new Date(at);
  const isFull = date.getMinutes() === 0 && date.getSeconds() === 0 && date.getMilliseconds() === 0;
  return date.getHours() + (isFull ? 0 : 1);
}
