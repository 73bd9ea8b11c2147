const DAY_MS = 24 * 60 * 60_000;
/** 1 January 1970 was a Thursday. */
const WEEKDAY_OF_DAY_0 = 4;

/** A day of the calendar where the machine is; one more for the day after, whatever its clocks did. */
export function dayOf(at: number): number {
  const date = new Date(at);
  return Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) / DAY_MS;
}

/** 0 is Sunday. */
export function weekdayOf(day: number): number {
  return (day + WEEKDAY_OF_DAY_0) % 7;
}

/** People bring what they have to the scanner: what comes within so long says as little as one scan. */
const VISIT_MS = 5 * 60_000;

interface Day {
  /** By hour of local time. */
  readonly scans: number[];
  readonly visits: number[];
  /** Numbers of the spans, since 1970, in which something came. */
  readonly spans: Set<number>;
  total: number;
}

/** How many scans came into one folder, or into all, by day and hour of local time. */
export class Arrivals {
  readonly #days = new Map<number, Day>();
  #first: number | null = null;
  #last: number | null = null;
  /** The one before. */
  #placed = { visit: NaN, day: 0, hour: 0 };

  add(at: number, count: number): void {
    if (count === 0) return;
    // Local time takes long to work out, and scans come in order.
    if (Math.floor(at / VISIT_MS) !== this.#placed.visit)
      this.#placed = { visit: Math.floor(at / VISIT_MS), day: dayOf(at), hour: new Date(at).getHours() };
    const { visit, day, hour } = this.#placed;
    const known = this.#dayAt(day);
    known.scans[hour] = (known.scans[hour] ?? 0) + count;
    known.total += count;
    if (!known.spans.has(visit)) known.visits[hour] = (known.visits[hour] ?? 0) + 1;
    known.spans.add(visit);
    this.#first = Math.min(this.#first ?? day, day);
    this.#last = Math.max(this.#last ?? at, at);
  }

  /** The first day on which anything came; null for a folder that never got anything. */
  get first(): number | null {
    return this.#first;
  }

  /** When the last one came, milliseconds. */
  get last(): number | null {
    return this.#last;
  }

  total(day: number): number {
    return this.#days.get(day)?.total ?? 0;
  }

  /** From one full hour until before another. */
  scans(day: number, from: number, until: number): number {
    return sum(this.#days.get(day)?.scans, from, until);
  }

  /** How often somebody came with something, as far as that can be told. */
  visits(day: number, from: number, until: number): number {
    return sum(this.#days.get(day)?.visits, from, until);
  }

  /** All that came into another folder as well. */
  addAll(other: Arrivals): void {
    for (const [day, { scans, spans, visits, total }] of other.#days) {
      const own = this.#dayAt(day);
      const isNew = own.total === 0;
      own.total += total;
      for (let hour = 0; hour < 24; hour += 1) {
        own.scans[hour] = (own.scans[hour] ?? 0) + (scans[hour] ?? 0);
        if (isNew) own.visits[hour] = visits[hour] ?? 0;
      }
      for (const visit of spans) {
        if (own.spans.has(visit)) continue;
        own.spans.add(visit);
        if (isNew) continue;
        const hour = new Date(visit * VISIT_MS).getHours();
        own.visits[hour] = (own.visits[hour] ?? 0) + 1;
      }
    }
    if (other.#first !== null) this.#first = Math.min(this.#first ?? other.#first, other.#first);
    if (other.#last !== null) this.#last = Math.max(this.#last ?? other.#last, other.#last);
  }

  /** What was first seen stays known: a folder does not become a new one. */
  forgetBefore(day: number): void {
    for (const known of this.#days.keys()) if (known < day) this.#days.delete(known);
  }

  #dayAt(day: number): Day {
    const known = this.#days.get(day);
    if (known) return known;
    const empty = {
      scans: Array.from({ length: 24 }, () => 0),
      visits: Array.from({ length: 24 }, () => 0),
      spans: new Set<number>(),
      total: 0,
    };
    this.#days.set(day, empty);
    return empty;
  }
}

function sum(hours: readonly number[] | undefined, from: number, until: number): number {
  let total = 0;
  if (hours) for (let hour = from; hour < until; hour += 1) total += hours[hour] ?? 0;
  return total;
}
