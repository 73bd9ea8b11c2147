import { weekdayOf, type Arrivals } from './arrivals.ts';

/** On which days a folder gets scans. */
export interface Rhythm {
  /** Weekdays on which it usually does; 0 is Sunday. */
  readonly working: ReadonlySet<number>;
  /** Of those weekdays, how many days had scans. */
  readonly worked: number;
  /** And how many stood alone without any, between days that had some. */
  readonly alone: number;
}

/** Of the weeks in which such a weekday was seen at all. */
const USUAL_SHARE = 0.6;
/** Days alone without a scan among those with: more, and it is how that folder is used. */
const ODD_SHARE = 0.08;

/**
 * Of the weeks before a day. Days without scans of which several follow each other are vacations, or an agent that did not
 * run: they say nothing, and neither do days on which the office was closed.
 */
export function rhythmOf(
  arrivals: Arrivals,
  before: number,
  weeks: number,
  isClosed: (day: number) => boolean,
): Rhythm {
  const begin = Math.max(before - 7 * weeks, arrivals.first ?? before);
  const working = new Set<number>();
  for (let weekday = 0; weekday < 7; weekday += 1) {
    const [withScans, all] = shareOf(arrivals, weekday, begin, before);
    if (withScans > 0 && withScans >= USUAL_SHARE * all) working.add(weekday);
  }
  const days: number[] = [];
  for (let day = begin; day < before; day += 1)
    if (working.has(weekdayOf(day)) && !isClosed(day)) days.push(day);
  const had = days.map((day) => arrivals.total(day) > 0);
  const alone = had.filter(
    (some, at) => !some && had[at - 1] !== false && had[at + 1] !== false && at < had.length - 1,
  ).length;
  return { working, worked: had.filter(Boolean).length, alone };
}

/** Whether days without scans belong to how the folder is used. */
export function isOdd({ worked, alone }: Rhythm): boolean {
  return alone > ODD_SHARE * (worked + alone);
}

/** Of a day on which there should be some. */
export function chanceOfDayOff({ worked, alone }: Rhythm): number {
  return (alone + 0.5) / (worked + alone + 1);
}

function shareOf(
  arrivals: Arrivals,
  weekday: number,
  begin: number,
  before: number,
): readonly [withScans: number, all: number] {
  let [withScans, all] = [0, 0];
  for (let day = begin + ((weekday - weekdayOf(begin) + 7) % 7); day < before; day += 7) {
    all += 1;
    if (arrivals.total(day) > 0) withScans += 1;
  }
  return [withScans, all];
}
