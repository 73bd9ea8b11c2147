import {
  dayOf,
  HISTORY_DAYS,
  ScanTimes,
  type SilentAfter,
} from '../../../../src/features/alerts/silence/silence.ts';
import { SilentFolders, type FolderScans } from '../../../../src/features/alerts/silence/silentFolders.ts';
import { daysOf, drawing, OFFICES, YEARS_DAYS, type Day, type Office } from './offices.ts';

const HOUR_MS = 60 * 60_000;
/** A Thursday. The hours of a folder are known well enough by the tenth week. */
const begin = (): number => new Date(2026, 0, 1).getTime();
const BREAKS_FROM_DAY = 90;
const BREAKDOWNS = 30;
/** Nobody scans earlier. */
const FIRST_HOUR = 6;
const NOTICED_WITHIN_DAYS = 5;
/** The agent checks more often. */
const LOOK_HOURS = 0.5;
const ALWAYS = { from: 0, until: 24 };

export interface Counts {
  readonly office: string;
  /** False alarms on days when people worked, per folder and year. */
  readonly falsePerYear: number;
  /** Alarms on holidays, vacations and days off, per folder and year. */
  readonly closedPerYear: number;
  /** Scanners that broke while people worked: noticed on the same day, later, or not within five days. */
  readonly sameDay: number;
  readonly later: number;
  readonly missed: number;
  /** Median hours from the breakdown to the alarm on the same day. Null: none. */
  readonly hours: number | null;
}

/** Tries each office alone over two years, and then with a scanner that breaks; one of them also with other settings. */
export function tryAlone(folders: number, isTried: (office: string) => boolean = () => true): Counts[] {
  return OFFICES.flatMap((office, at) => {
    if (!isTried(office.name)) return [];
    const settings: readonly number[] = office.name.startsWith('small') ? [5, 7, 9] : [];
    return [
      tryOffice(office, 1_000 * (at + 1), folders, 'auto'),
      ...settings.map((hours) => ({
        ...tryOffice(office, 1_000 * (at + 1), folders, hours * HOUR_MS),
        office: `the same, silentAfter: ${hours}h`,
      })),
    ];
  });
}

function tryOffice(office: Office, seeds: number, folders: number, silentAfter: SilentAfter): Counts {
  let [alarms, closed] = [0, 0];
  const delays: Delay[] = [];
  for (let folder = 0; folder < folders; folder += 1) {
    const seed = seeds + folder;
    const days = [...daysOf(office, { begin: begin(), seed }, drawing(seed))];
    const found = alarmsIn([days], silentAfter, office.runs);
    alarms += found.filter(({ isClosed }) => !isClosed).length;
    closed += found.filter(({ isClosed }) => isClosed).length;
    delays.push(...breakdowns(office, days, silentAfter, drawing(seed + 500)));
  }
  const years = (folders * YEARS_DAYS) / 365;
  const noticed = delays.filter((delay) => delay !== null);
  const same = noticed.filter(({ isSameDay }) => isSameDay).map(({ hours }) => hours);
  return {
    office: office.name,
    falsePerYear: alarms / years,
    closedPerYear: closed / years,
    sameDay: same.length,
    later: noticed.length - same.length,
    missed: delays.length - noticed.length,
    hours: same.toSorted((a, b) => a - b)[same.length >> 1] ?? null,
  };
}

export interface Together {
  readonly folders: number;
  readonly all: number;
  readonly alone: number;
  readonly holidays: number;
}

/** Some offices of one company with the same holidays, from New Year. @returns the alarms of all folders together and of single ones */
export function tryTogether(days: number): Together {
  const chosen = OFFICES.filter(({ oddDaysOff, vacations, runs }) => !oddDaysOff && !vacations && !runs);
  const all = chosen.map((office, at) =>
    [...daysOf(office, { begin: begin(), seed: 7 }, drawing(70 + at))].slice(0, days),
  );
  const found = alarmsIn(all, 'auto');
  return {
    folders: chosen.length,
    all: found.filter(({ of }) => of === 'all').length,
    alone: found.filter(({ of }) => of !== 'all').length,
    holidays: (all[0] ?? []).filter(({ isClosed, date }) => isClosed && date.getDay() % 6 !== 0).length,
  };
}

interface Alarm {
  readonly at: number;
  readonly isClosed: boolean;
  readonly of: string;
}

interface Simulated extends FolderScans {
  readonly days: readonly Day[];
  /** Index of the next scan today. */
  next: number;
}

/** The next scan ends an alarm. */
function alarmsIn(
  all: readonly (readonly Day[])[],
  silentAfter: SilentAfter,
  runs: Office['runs'] = ALWAYS,
): Alarm[] {
  const folders: Simulated[] = all.map((days, at) => ({
    days,
    path: String(at),
    times: new ScanTimes(),
    silentAfter,
    since: begin(),
    next: 0,
  }));
  const found: Alarm[] = [];
  let silent = new SilentFolders();
  let open = new Set<string>();
  for (let day = 0; day < (all[0]?.length ?? 0); day += 1) {
    for (let hour = FIRST_HOUR; hour <= 24; hour += LOOK_HOURS) {
      const at = pass(folders, day, hour);
      const running = startedAt(folders, at, runs);
      if (running.length === 0) silent = new SilentFolders();
      const next = silentNow(silent, running, at);
      for (const of of next)
        if (!open.has(of)) found.push({ at, of, isClosed: folders[0]?.days[day]?.isClosed ?? false });
      open = next;
    }
    for (const { times } of folders) times.forgetBefore(dayOf(begin()) + day - HISTORY_DAYS);
  }
  return found;
}

/** Adds all scans before that time of the day. @returns that time */
function pass(folders: readonly Simulated[], day: number, hour: number, brokenAt = Infinity): number {
  let end = 0;
  for (const folder of folders) {
    const today = folder.days[day];
    if (today === undefined) continue;
    end = new Date(today.date).setHours(0, hour * 60);
    while ((today.scans[folder.next] ?? Infinity) < end) {
      const scan = today.scans[folder.next] ?? 0;
      if (scan < brokenAt) folder.times.add(scan);
      folder.next += 1;
    }
    if (hour === 24) folder.next = 0;
  }
  return end;
}

/** The folders as seen by an agent that started this morning; none while it does not run. */
function startedAt<T extends FolderScans>(
  folders: readonly T[],
  now: number,
  { from, until }: NonNullable<Office['runs']>,
): readonly T[] {
  if (until - from === 24) return folders;
  const start = new Date(now);
  start.setHours(from, 0, 0, 0);
  const isOn = now > start.getTime() && now <= new Date(now).setHours(until, 0, 0, 0);
  return isOn ? folders.map((folder) => ({ ...folder, since: start.getTime() })) : [];
}

function silentNow(silent: SilentFolders, folders: readonly FolderScans[], now: number): Set<string> {
  const { all, alone } = silent.judge(folders, now);
  return new Set([...(all === null ? [] : ['all']), ...alone.map(({ path }) => path)]);
}

/** Null: not noticed within some days. */
type Delay = { readonly hours: number; readonly isSameDay: boolean } | null;

/** The delay of the alarm for scanners that break while people work. */
function breakdowns(
  office: Office,
  days: readonly Day[],
  silentAfter: SilentAfter,
  draw: () => number,
): Delay[] {
  const delays: Delay[] = [];
  while (delays.length < BREAKDOWNS) {
    const day = BREAKS_FROM_DAY + Math.floor(draw() * (YEARS_DAYS - BREAKS_FROM_DAY - NOTICED_WITHIN_DAYS));
    const { date, scans } = days[day] ?? { date: new Date(), scans: [] };
    if (scans.length === 0) continue;
    const hour = office.from + draw() * 0.75 * (office.until - office.from);
    const brokenAt = date.getTime() + hour * HOUR_MS;
    delays.push(noticedAfter(days, day, { brokenAt, silentAfter, runs: office.runs ?? ALWAYS }));
  }
  return delays;
}

interface Breakdown {
  readonly brokenAt: number;
  readonly silentAfter: SilentAfter;
  readonly runs: NonNullable<Office['runs']>;
}

function noticedAfter(days: readonly Day[], day: number, { brokenAt, silentAfter, runs }: Breakdown): Delay {
  const folder = { days, path: '0', times: new ScanTimes(), silentAfter, since: begin(), next: 0 };
  const silent = new SilentFolders();
  for (let before = day - HISTORY_DAYS; before < day; before += 1)
    for (const scan of days[before]?.scans ?? []) folder.times.add(scan);
  for (let later = day; later < day + NOTICED_WITHIN_DAYS; later += 1) {
    for (let hour = FIRST_HOUR; hour <= 24; hour += LOOK_HOURS) {
      const at = pass([folder], later, hour, brokenAt);
      if (silentNow(silent, startedAt([folder], at, runs), at).size > 0 && at > brokenAt) {
        return { hours: (at - brokenAt) / HOUR_MS, isSameDay: later === day };
      }
    }
  }
  return null;
}
