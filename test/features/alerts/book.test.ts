import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Book, undeliveredKey, type Cause, type Telling } from '../../../src/features/alerts/book.ts';
import { emptyState, type AlertState } from '../../../src/features/alerts/state.ts';
import type { AlertTimes } from '../../../src/features/alerts/times.ts';
import { parseHours } from '../../../src/core/domain/hours.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** A Monday, local time. */
const START = new Date(2026, 2, 2, 9, 0).getTime();

function cause(key: string, more: Partial<Cause> = {}): Cause {
  return {
    key,
    condition: { code: 'FOLDER_MISSING', params: { folder: key } },
    since: START,
    count: null,
    patienceMs: null,
    isOfProcess: false,
    ...more,
  };
}

interface Told extends Telling {
  readonly at: number;
}

/** A book, a clock, and the current problems, which a test sets. */
class Desk {
  readonly told: Told[] = [];
  now = START;
  times: AlertTimes = { afterMs: 2 * MINUTE, quietHours: null, digest: null };
  channels = ['email', 'webhook'];
  isLooking = false;
  state: AlertState;
  #wrong = new Map<string, Cause>();
  #book: Book;
  #ids = 0;

  constructor() {
    this.state = emptyState();
    this.#book = this.#open();
  }

  #open(): Book {
    return new Book(this.state, () => `alert-${(this.#ids += 1)}`);
  }

  /** The agent is killed and started. */
  restart(): void {
    this.state = JSON.parse(JSON.stringify(this.state)) as AlertState;
    this.#book = this.#open();
    this.#book.doubt(this.now);
    this.#wrong = new Map();
  }

  /** Another configuration takes effect. */
  reload(): this {
    this.#book.doubt(this.now);
    return this;
  }

  begin(key: string, more: Partial<Cause> = {}): this {
    this.#wrong.set(key, cause(key, { since: this.now, ...more }));
    return this;
  }

  end(...keys: string[]): this {
    for (const key of keys) this.#wrong.delete(key);
    return this;
  }

  /** Time passes, with a look every few seconds. */
  pass(ms: number, stepMs = 5 * SECOND): Told[] {
    const before = this.told.length;
    const until = this.now + ms;
    while (this.now < until) {
      this.#book.look(this.now, this.#wrong, this.isLooking, this.times);
      for (const telling of this.#book.tell(this.now, this.times, this.channels))
        this.told.push({ ...telling, at: this.now });
      this.now = Math.min(until, this.now + stepMs);
    }
    return this.told.slice(before);
  }

  /** The machine sleeps, without any check. */
  sleep(ms: number): this {
    this.now += ms;
    this.#book.woke(this.now);
    return this;
  }

  /** Time passes until this time of day. */
  passUntil(hour: number, minute: number, days = 0): Told[] {
    const date = new Date(this.now);
    const at = new Date(date.getFullYear(), date.getMonth(), date.getDate() + days, hour, minute).getTime();
    return this.pass(at - this.now, 20 * SECOND);
  }

  why(key: string): string | null | undefined {
    return this.#book.open(this.now, this.times, this.channels).find(({ entry }) => entry.key === key)
      ?.untold;
  }
}

const said = (told: readonly Told[]) =>
  told.map(({ kind, causes }) => `${kind} ${causes.map(({ key }) => key).join(' ')}`);

it('the book alerts once when a problem has lasted, and once when it has stayed away', () => {
  const desk = new Desk();
  desk.begin('a');
  expect(desk.pass(2 * MINUTE)).toEqual([]);
  expect(desk.why('a')).toBe('soon');
  expect(said(desk.pass(DAY, MINUTE))).toEqual(['opened a']);
  expect(desk.why('a')).toBeNull();
  const gone = desk.now;
  desk.end('a');
  const [closed, ...more] = desk.pass(DAY, MINUTE);
  expect(more).toEqual([]);
  expect(closed).toMatchObject({
    kind: 'closed',
    at: gone + 2 * MINUTE,
    follows: [desk.told[0]?.id],
    causes: [{ since: START, until: gone }],
  });
});

it('the book sends no alert about a problem that is over within `after`', () => {
  const desk = new Desk();
  for (let time = 0; time < 100; time += 1) {
    desk.begin('a').pass(100 * SECOND);
    desk.end('a').pass(100 * SECOND);
  }
  expect(desk.told).toEqual([]);
});

it('the book sends one alert and one recovery for thirty folders that disappear and return within a minute', () => {
  const desk = new Desk();
  const folders = Array.from({ length: 30 }, (_, index) => `folder-${index}`);
  for (const folder of folders) desk.begin(folder).pass(1_500, 500);
  expect(desk.pass(HOUR).map(({ kind, causes }) => [kind, causes.length])).toEqual([['opened', 30]]);
  for (const folder of folders) desk.end(folder).pass(1_500, 500);
  const ended = desk.pass(HOUR);
  expect(ended.map(({ kind, causes }) => [kind, causes.length])).toEqual([['closed', 30]]);
  expect(ended[0]?.follows).toEqual([desk.told[0]?.id]);
});

it('the book groups problems that begin one after another for hours', () => {
  const desk = new Desk();
  for (let index = 0; index < 120; index += 1) desk.begin(`folder-${index}`).pass(2 * MINUTE);
  desk.pass(HOUR);
  expect(desk.told.flatMap(({ causes }) => causes)).toHaveLength(120);
  expect(mostWithin(desk.told, HOUR)).toBeLessThanOrEqual(12);
});

describe('a problem that comes and goes', () => {
  it('is reported with its number of occurrences, and as over only once it has stayed away for long', () => {
    const desk = new Desk();
    for (let time = 0; time < 12; time += 1) {
      desk.begin('a').pass(5 * MINUTE);
      desk.end('a').pass(5 * MINUTE);
    }
    expect(said(desk.told)).toEqual(['opened a', 'closed a', 'opened a', 'closed a', 'opened a']);
    expect(desk.told.at(-1)?.causes[0]).toMatchObject({ times: 3, awayMs: HOUR });
    const [closed] = desk.pass(DAY, MINUTE);
    expect(closed).toMatchObject({ kind: 'closed', causes: [{ returns: 9 }] });
    // A day later it counts as new.
    desk.begin('a').pass(HOUR);
    expect(desk.told.at(-1)?.causes[0]).toMatchObject({ times: 1 });
  });

  it.each([
    ['every few minutes', 3 * MINUTE, 3 * MINUTE],
    ['every half an hour', 10 * MINUTE, 20 * MINUTE],
    ['for a moment every hour', 58 * MINUTE, 3 * MINUTE],
    ['every two hours', HOUR, HOUR],
    ['every five hours', 2 * HOUR, 3 * HOUR],
  ])('%s for a week causes no flood of alerts, and the last alert is true', (_, thereMs, awayMs) => {
    const desk = new Desk();
    while (desk.now < START + 7 * DAY) {
      desk.begin('a').pass(thereMs, MINUTE);
      desk.end('a').pass(awayMs, MINUTE);
    }
    expect(mostWithin(desk.told, DAY)).toBeLessThanOrEqual(14);
    expect(desk.told.length).toBeLessThanOrEqual(7 * 11);
    desk.pass(DAY, MINUTE);
    expect(desk.told.at(-1)?.kind).toBe('closed');
    for (const [index, { kind }] of desk.told.entries())
      expect(kind).toBe(index % 2 === 0 ? 'opened' : 'closed');
  });
});

describe('in quiet hours', () => {
  const QUIET = parseHours(['Mon-Fri 19:00-07:00', 'Sat-Sun 00:00-24:00']);
  const quietDesk = () => {
    const desk = new Desk();
    desk.times = { ...desk.times, quietHours: QUIET };
    return desk;
  };

  it('nothing is sent; when they end, an alert names open problems and counts the others', () => {
    const desk = quietDesk();
    desk.passUntil(20, 0);
    desk
      .begin('stays')
      .begin('ends')
      .pass(3 * MINUTE);
    expect(desk.why('stays')).toBe('quietHours');
    desk.end('ends');
    desk.begin('short').pass(MINUTE);
    desk.end('short');
    expect(desk.passUntil(7, 0, 1)).toEqual([]);
    expect(said(desk.pass(HOUR))).toEqual(['opened stays']);
    expect(desk.told[0]).toMatchObject({ endedUntold: 1 });
  });

  it('a recovery also waits, and is dropped if the problem is back by then', () => {
    const desk = quietDesk();
    desk.begin('a').begin('b').pass(HOUR);
    desk.passUntil(21, 0);
    desk.end('a', 'b').pass(HOUR);
    desk.begin('b');
    expect(desk.passUntil(7, 0, 1)).toEqual([]);
    expect(said(desk.pass(HOUR))).toEqual(['closed a']);
  });

  it('a problem that began and ended at the weekend is never sent', () => {
    const desk = quietDesk();
    desk.passUntil(19, 30, 4);
    desk.begin('a').pass(HOUR);
    desk.end('a');
    expect(desk.passUntil(12, 0, 3)).toEqual([]);
    // Nor later, along with something else.
    expect(desk.begin('b').pass(HOUR)).toMatchObject([{ endedUntold: 0 }]);
  });
});

describe('a restart', () => {
  it('repeats no alert, and reports no problem as over before it could have been found again', () => {
    const desk = new Desk();
    desk.begin('a').begin('b').pass(HOUR);
    expect(desk.told).toHaveLength(1);
    desk.restart();
    desk.isLooking = true;
    desk.pass(10 * MINUTE);
    desk.isLooking = false;
    // It is found again with another time.
    desk.begin('a').pass(HOUR);
    expect(said(desk.told)).toEqual(['opened a b', 'closed b']);
    desk.end('a').pass(HOUR);
    expect(desk.told.at(-1)).toMatchObject({ kind: 'closed', causes: [{ key: 'a', since: START }] });
  });

  it('waits for problems that take time to be found again, and delays nothing else', () => {
    const desk = new Desk();
    desk.times = { ...desk.times, afterMs: 0 };
    desk.begin('a').pass(MINUTE);
    desk.restart();
    desk.pass(MINUTE);
    desk.begin('a').pass(MINUTE);
    expect(said(desk.told)).toEqual(['opened a']);
    desk.end('a').pass(MINUTE);
    expect(said(desk.told)).toEqual(['opened a', 'closed a']);
  });

  it('keeps counting how long an unsent problem has lasted', () => {
    const desk = new Desk();
    desk.begin('a').pass(90 * SECOND);
    desk.restart();
    desk.begin('a');
    expect(said(desk.pass(40 * SECOND))).toEqual(['opened a']);
  });
});

describe('a new configuration', () => {
  it('does not delay recoveries that do not depend on it, although folders are listed again', () => {
    const desk = new Desk();
    desk.times = { ...desk.times, afterMs: 0 };
    desk.begin('incident config', { isOfProcess: true }).begin('folder /a').pass(MINUTE);
    desk.end('incident config', 'folder /a').reload();
    desk.isLooking = true;
    expect(said(desk.pass(10 * SECOND))).toEqual(['closed incident config']);
    desk.isLooking = false;
    expect(desk.pass(MINUTE)).toEqual([]);
    expect(said(desk.pass(MINUTE))).toEqual(['closed folder /a']);
  });

  it('counts as a start for problems from before the start that were not found again since', () => {
    const desk = new Desk();
    desk.times = { ...desk.times, afterMs: 0 };
    desk.begin('incident results', { isOfProcess: true }).pass(MINUTE);
    desk.restart();
    desk.reload().pass(MINUTE);
    desk.begin('incident results', { isOfProcess: true }).pass(HOUR);
    expect(said(desk.told)).toEqual(['opened incident results']);
  });
});

it('the book sends nothing about a problem that is over moments after the machine wakes', () => {
  const desk = new Desk();
  desk.begin('short').begin('stays').pass(MINUTE);
  desk.sleep(8 * HOUR).pass(MINUTE);
  desk.end('short');
  expect(said(desk.pass(HOUR))).toEqual(['opened stays']);
});

it('the book keeps alerting when the clock is set back by a year', () => {
  const desk = new Desk();
  desk.begin('a').pass(HOUR);
  desk.now -= 365 * DAY;
  desk.end('a');
  desk.pass(HOUR);
  desk.begin('b', { since: desk.now + 365 * DAY }).pass(HOUR);
  expect(said(desk.told)).toEqual(['opened a', 'closed a', 'opened b']);
});

it('the book alerts again, hours later, when more documents need a person', () => {
  const desk = new Desk();
  const failed = (count: number) => desk.begin('documents /scans', { count });
  failed(3).pass(HOUR);
  failed(2).pass(HOUR);
  expect(failed(3).pass(HOUR)).toEqual([]);
  expect(said(failed(9).pass(2 * HOUR))).toEqual(['stillOpen documents /scans']);
  expect(failed(20).pass(3 * HOUR)).toEqual([]);
  expect(said(failed(20).pass(2 * HOUR))).toEqual(['stillOpen documents /scans']);
  const [closed] = desk.end('documents /scans').pass(HOUR);
  expect(closed).toMatchObject({ kind: 'closed', follows: [desk.told[0]?.id] });
});

it('the book alerts about problems that resolve themselves only when they last', () => {
  const desk = new Desk();
  desk.begin('service', { patienceMs: 15 * MINUTE }).begin('a');
  expect(said(desk.pass(14 * MINUTE))).toEqual(['opened a']);
  expect(said(desk.pass(2 * MINUTE))).toEqual(['opened service']);
});

it('the book alerts about a failing channel through the others, and not at all if there are none', () => {
  const desk = new Desk();
  const key = undeliveredKey('email');
  const condition = { code: 'ALERT_UNDELIVERED', params: { channel: 'email', detail: '' } } as const;
  desk.channels = ['email'];
  desk.begin(key, { condition }).begin('a');
  expect(said(desk.pass(HOUR))).toEqual(['opened a']);
  expect(desk.why(key)).toBe('noChannel');
  desk.channels = ['email', 'webhook'];
  expect(desk.pass(MINUTE)).toMatchObject([{ kind: 'opened', about: 'email', causes: [{ key }] }]);
});

it('the book counts nothing as sent without a channel', () => {
  const desk = new Desk();
  desk.channels = [];
  desk.begin('a').pass(HOUR);
  expect([desk.told, desk.why('a')]).toEqual([[], 'noChannel']);
  desk.channels = ['desktop'];
  expect(said(desk.pass(MINUTE))).toEqual(['opened a']);
});

it('the book alternates alerts and recoveries, never floods, and ends with the truth, whatever begins and ends', () => {
  const keys = ['a', 'b', 'c'];
  const minutes = fc.oneof(fc.integer({ min: 1, max: 10 }), fc.integer({ min: 10, max: 600 }));
  const step = fc.record({
    what: fc.constantFrom('begin', 'begin', 'end', 'end', 'restart', 'clockBack'),
    key: fc.constantFrom(...keys),
    minutes,
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), fc.boolean(), (steps, isQuiet) => {
      const desk = new Desk();
      if (isQuiet)
        desk.times = { ...desk.times, quietHours: parseHours(['19:00-07:00', 'Sat-Sun 00:00-24:00']) };
      const wrong = new Set<string>();
      for (const { what, key, minutes: passing } of steps) {
        if (what === 'begin') wrong.add(key);
        if (what === 'end') wrong.delete(key);
        if (what === 'restart') desk.restart();
        if (what === 'clockBack') desk.now -= passing * MINUTE;
        for (const each of keys) if (wrong.has(each)) desk.begin(each);
        desk.end(...keys.filter((each) => !wrong.has(each)));
        desk.pass(passing * MINUTE, MINUTE);
      }
      desk.pass(5 * DAY, 10 * MINUTE);
      for (const key of keys) {
        const kinds = desk.told
          .filter(({ causes }) => causes.some((each) => each.key === key))
          .map(({ kind }) => kind);
        expect(kinds).toEqual(kinds.map((_, index) => (index % 2 === 0 ? 'opened' : 'closed')));
        expect(kinds.length % 2 === 1).toBe(wrong.has(key));
      }
      expect(mostWithin(desk.told, HOUR)).toBeLessThanOrEqual(15);
    }),
    { numRuns: 20 },
  );
});

/** The largest number of alerts within any interval of this length. */
function mostWithin(told: readonly Told[], ms: number): number {
  return Math.max(
    0,
    ...told.map(({ at }) => told.filter((other) => other.at >= at && other.at < at + ms).length),
  );
}
