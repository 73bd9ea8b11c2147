/** Scans of offices over years, drawn from a seed, to try the silence alarm on. */

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;

export type Draw = () => number;

/** mulberry32 */
export function drawing(seed: number): Draw {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

export interface Office {
  readonly name: string;
  /** Usual number of scans on a day; 0 for none. `day`: days since the beginning. */
  readonly volume: (date: Date, day: number) => number;
  /** Working hours. */
  readonly from: number;
  readonly until: number;
  /** Average number of papers that a person scans at once. */
  readonly batch: number;
  /** Coefficient of variation of the scans per day. */
  readonly unevenness: number;
  /** Share of additional days off, chosen at random. */
  readonly oddDaysOff?: number;
  /** Hours at which the agent's computer is on. */
  readonly runs?: { readonly from: number; readonly until: number };
  /** Vacations, as weeks of the year. */
  readonly vacations?: readonly number[];
}

const isWorkday = (date: Date): boolean => date.getDay() >= 1 && date.getDay() <= 5;
const onWorkdays =
  (scans: number) =>
  (date: Date): number =>
    isWorkday(date) ? scans : 0;
const usual = { from: 8, until: 17, batch: 4, unevenness: 0.25 };

export const OFFICES: readonly Office[] = [
  { ...usual, name: 'busy office, 250 a day', volume: onWorkdays(250) },
  { ...usual, name: 'office, 80 a day', volume: onWorkdays(80) },
  { ...usual, name: 'small office, 20 a day', batch: 3, volume: onWorkdays(20), vacations: [31, 32, 52] },
  { ...usual, name: '3 a day', batch: 1, volume: onWorkdays(3) },
  { ...usual, name: 'all at once, 60 a day', batch: 60, volume: onWorkdays(60) },
  {
    ...usual,
    name: 'once a month, 300',
    batch: 20,
    volume: (date) => (date.getDate() <= 3 && isWorkday(date) ? 100 : 0),
  },
  {
    ...usual,
    name: 'season of five months, 120 a day',
    volume: (date) => (date.getMonth() >= 4 && date.getMonth() <= 8 ? onWorkdays(120)(date) : 0),
  },
  {
    ...usual,
    name: 'shop at weekends, 150 a day',
    from: 10,
    until: 20,
    volume: (date) => (isWorkday(date) ? 0 : 150),
  },
  { ...usual, name: 'two shifts, 400 a day', from: 6, until: 22, volume: onWorkdays(400) },
  {
    ...usual,
    name: 'grows from 5 to 300 a day',
    volume: (date, day) => onWorkdays(5 + (295 * day) / YEARS_DAYS)(date),
  },
  {
    ...usual,
    name: 'shrinks from 300 to none',
    volume: (date, day) => onWorkdays(300 * Math.max(0, 1 - (1.1 * day) / YEARS_DAYS))(date),
  },
  { ...usual, name: '80 a day, every sixth day none', volume: onWorkdays(80), oddDaysOff: 1 / 6 },
  {
    ...usual,
    name: '80 a day, agent off at night',
    volume: onWorkdays(80),
    runs: { from: 7, until: 18 },
  },
  {
    ...usual,
    name: '80 a day, closes for vacations',
    volume: onWorkdays(80),
    vacations: [8, 31, 32, 33, 52],
  },
];

export const YEARS_DAYS = 730;
/** Month and day; mostly workdays, some of them adjacent. */
const HOLIDAYS = ['1-1', '1-6', '4-3', '4-6', '5-1', '5-14', '5-25', '6-4', '10-3', '12-25', '12-26'];
/** Days on which people leave at noon. */
const HALF_DAYS = ['12-24', '12-31', '2-16'];

export interface Day {
  readonly date: Date;
  /** Milliseconds, in order. */
  readonly scans: readonly number[];
  /** Nobody worked, or people left early: a holiday, a vacation, a day off. */
  readonly isClosed: boolean;
}

export interface Calendar {
  readonly begin: number;
  /** The same for all folders of an office, so that they have the same days off. */
  readonly seed: number;
}

/** Two years of one folder. */
export function* daysOf(office: Office, { begin, seed }: Calendar, draw: Draw): Generator<Day> {
  const shared = drawing(seed);
  for (let day = 0; day < YEARS_DAYS; day += 1) {
    const date = new Date(begin);
    date.setDate(date.getDate() + day);
    const isDayOff = shared() < (office.oddDaysOff ?? 0);
    const key = `${date.getMonth() + 1}-${date.getDate()}`;
    const week = Math.ceil((date.getTime() - new Date(date.getFullYear(), 0, 1).getTime()) / (7 * DAY_MS));
    const isClosed = HOLIDAYS.includes(key) || isDayOff || (office.vacations?.includes(week) ?? false);
    const isHalf = HALF_DAYS.includes(key);
    const volume = isClosed ? 0 : office.volume(date, day);
    const until = isHalf ? Math.min(office.until, 12) : office.until;
    yield {
      date,
      isClosed: isClosed || isHalf,
      scans: volume === 0 ? [] : scansOf(office, date, volume, until, draw),
    };
  }
}

/** People scan at random times, less often at noon, some receipts each. */
function scansOf(office: Office, date: Date, volume: number, until: number, draw: Draw): number[] {
  const { from, batch, unevenness } = office;
  const midnight = date.getTime();
  const isOne = batch >= volume;
  const wanted = volume * Math.max(0.2, 1 + unevenness * normal(draw));
  const visits = isOne ? 1 : poisson(wanted / batch, draw);
  const scans: number[] = [];
  for (let visit = 0; visit < visits; visit += 1) {
    let hour = from + draw() * (office.until - from);
    if (Math.floor(hour) === 12 && draw() < 0.7) hour = from + draw() * (office.until - from);
    const receipts = isOne ? Math.max(1, poisson(wanted, draw)) : 1 + poisson(batch - 1, draw);
    if (hour >= until) continue;
    for (let receipt = 0; receipt < receipts; receipt += 1)
      scans.push(midnight + hour * HOUR_MS + receipt * 4_000);
  }
  return scans.toSorted((a, b) => a - b);
}

function normal(draw: Draw): number {
  return Math.sqrt(-2 * Math.log(1 - draw())) * Math.cos(2 * Math.PI * draw());
}

function poisson(mean: number, draw: Draw): number {
  if (mean > 50) return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal(draw)));
  const limit = Math.exp(-mean);
  let count = 0;
  for (let product = draw(); product > limit; product *= draw()) count += 1;
  return count;
}
