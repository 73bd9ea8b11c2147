/**
 * Alerting against a model of what people should know: problems begin and end, channels fail, hang and deliver twice, the agent is
 * killed and reloaded, and the machine is busy, in any order. Each channel's alerts are replayed as its recipient understands them.
 */
import { textsIn } from '../../../src/texts/texts.ts';
import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { it } from 'vitest';
import { Alerting, type Around } from '../../../src/features/alerts/alerting.ts';
import type { AlertStore } from '../../../src/features/alerts/store.ts';
import { emptyState } from '../../../src/features/alerts/state.ts';
import { isQuiet, type AlertTimes } from '../../../src/features/alerts/times.ts';
import { ReceiptdError } from '../../../src/core/domain/errors.ts';
import { parseHours } from '../../../src/core/domain/hours.ts';
import type { Alert, AlertChannel, AlertChannelName } from '../../../src/core/ports/alert.ts';
import type { Clock } from '../../../src/core/ports/clock.ts';
import { OpenIncidents } from '../../../src/daemon/openIncidents.ts';
import { isEveryCase } from '../../support/everyCase.ts';
import { RecordedLog } from '../../support/recordedLog.ts';

// Loaded before the fake clock runs.
const texts = Promise.resolve(await textsIn('en', String));

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const START = new Date(2026, 2, 2, 9, 0).getTime();
/** How late the agent may notice: a look every two seconds, on a very busy machine. */
const LATE = 55 * SECOND;
/** After a start or a reload, it takes this long until every problem that goes on is found again. */
const FOUND_AGAIN = 100 * SECOND;
/** A problem that lasts for this long is known on every channel that works: `after`, a back-off of 30 minutes, ten between grouped alerts. */
const KNOWN_WITHIN = 50 * MINUTE;
/** Time for the longest absence that a flapping problem needs to be over. */
const CALM = 14 * HOUR;

/** Sleepers wake when the clock is moved, on a busy machine up to 50 seconds late; nothing here waits for files. */
class BusyClock implements Clock {
  #at = START;
  #sleepers = new Map<() => void, number>();
  now = (): number => this.#at;
  monotonic = (): number => this.#at - START;

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      this.#sleepers.set(resolve, this.#at + ms);
      const abort = () => {
        this.#sleepers.delete(resolve);
        reject(signal?.reason as Error);
      };
      signal?.addEventListener('abort', abort, { once: true });
    });
  }

  async advance(ms: number, stepMs: number, seen: () => Promise<void>): Promise<void> {
    for (const end = this.#at + ms; this.#at < end;) {
      this.#at = Math.min(end, this.#at + stepMs);
      for (const [wake, at] of this.#sleepers) if (at <= this.#at && this.#sleepers.delete(wake)) wake();
      await new Promise(setImmediate);
      await seen();
    }
  }
}

type Mode = 'takes' | 'refuses' | 'hangs' | 'takesAndFails';

/** A recipient, who reads each alert once and knows from them what is wrong. */
class Recipient implements AlertChannel {
  readonly receiver = { of: null, setting: 'alerts' };
  readonly alerts = new Map<string, Alert>();
  readonly isOpen = new Set<string>();
  readonly openings = new Map<string, number>();
  readonly name: AlertChannelName;
  readonly #world: World;
  mode: Mode = 'takes';
  troubledAt = -Infinity;

  constructor(name: AlertChannelName, world: World) {
    this.name = name;
    this.#world = world;
  }

  async send(alert: Alert): Promise<void> {
    assert.equal(isQuiet(this.#world.times.quietHours, this.#world.clock.now()), false);
    if (this.mode !== 'takes') this.troubledAt = this.#world.clock.now();
    if (this.mode === 'hangs') await new Promise(() => {});
    try {
      if (this.mode !== 'refuses') this.#read(alert);
    } catch (error) {
      // To the agent it would be a channel's trouble.
      this.#world.failure ??= error;
    }
    if (this.mode !== 'takes')
      throw new ReceiptdError({ code: 'ALERT_UNDELIVERED', message: 'No.', hint: 'Mend it.' });
  }

  #read(alert: Alert): void {
    const before = this.alerts.get(alert.id);
    if (before !== undefined) return assert.deepEqual(alert, before);
    assert.ok(alert.at >= Math.max(...[...this.alerts.values()].map(({ at }) => at)));
    this.alerts.set(alert.id, alert);
    if (alert.kind === this.#world.diesAt) [this.#world.isToDie, this.#world.diesAt] = [true, null];
    for (const { key } of alert.causes) assert.notEqual(key, `ALERT_UNDELIVERED ${this.name}`);
    if (alert.kind === 'digest') return;
    for (const { key, until } of alert.causes) {
      if (alert.kind === 'closed') {
        // Who missed the alert gets only its recovery.
        if (!this.isOpen.delete(key)) assert.notEqual(this.troubledAt, -Infinity);
        assert.ok((until ?? Infinity) <= alert.at - this.#world.times.afterMs + LATE);
        this.#world.expectGone(key, alert.at);
      } else {
        assert.deepEqual([key, this.isOpen.has(key)], [key, alert.kind === 'stillOpen']);
        this.isOpen.add(key);
        this.openings.set(key, (this.openings.get(key) ?? 0) + 1);
        assert.equal(until, null);
        this.#world.expectThere(key, alert.at);
      }
    }
  }
}

/** What is really wrong, since when, and the agent that looks at it. */
class World {
  readonly clock = new BusyClock();
  readonly recipients: readonly Recipient[];
  readonly times: AlertTimes;
  /** Times at which each problem began or ended: it is there after an odd number of them. */
  readonly turns = new Map<string, number[]>();
  restarts = 0;
  /** The agent is killed as soon as it has delivered an alert of this kind. */
  diesAt: Alert['kind'] | null = null;
  isToDie = false;
  failure: unknown;
  #startedAt = START;
  #saved = JSON.stringify(emptyState());
  #incidents = new OpenIncidents({ clock: this.clock, log: new RecordedLog() });
  #found = new Set<string>();
  #alerting: Alerting | null = null;
  #kill = (): void => {};
  #ids = 0;

  constructor(times: AlertTimes) {
    this.times = times;
    this.recipients = (['email', 'webhook', 'command'] as const).map((name) => new Recipient(name, this));
  }

  isWrong(key: string): boolean {
    return (this.turns.get(key)?.length ?? 0) % 2 === 1;
  }

  expectThere(key: string, at: number): void {
    const turns = this.turns.get(key);
    if (turns === undefined) return;
    const [last = 0] = turns.filter((turn) => turn <= at).slice(-1);
    const isThere = turns.filter((turn) => turn <= at).length % 2 === 1;
    assert.deepEqual({ key, isThere: isThere || last >= at - LATE }, { key, isThere: true });
    // Who restarts can't know whether a problem was away for a moment.
    if (isThere && this.#startedAt < last) assert.ok(at - last >= this.times.afterMs - LATE);
  }

  expectGone(key: string, at: number): void {
    const turns = this.turns.get(key);
    if (turns === undefined) return;
    const before = turns.filter((turn) => turn <= at);
    const last = before.at(-1) ?? 0;
    const isGone = before.length % 2 === 0;
    assert.deepEqual({ key, isGone: isGone || last >= at - LATE }, { key, isGone: true });
    if (isGone) assert.ok(at - last >= this.times.afterMs - LATE);
  }

  async start(): Promise<void> {
    this.#startedAt = this.clock.now();
    this.#incidents = new OpenIncidents({ clock: this.clock, log: new RecordedLog() });
    this.#found.clear();
    let isAlive = true;
    const store: AlertStore = {
      load: () => Promise.resolve({ state: JSON.parse(this.#saved) as never, unusable: null }),
      save: async (state) => {
        if (isAlive) this.#saved = JSON.stringify(state);
      },
    };
    const stop = new AbortController();
    this.#kill = () => {
      isAlive = false;
      stop.abort(new Error('killed'));
    };
    this.#alerting = await Alerting.open(
      {
        clock: this.clock,
        log: new RecordedLog(),
        incidents: this.#incidents,
        ledger: {
          holds: () => Promise.resolve([]),
          counts: () => Promise.resolve([]),
          seenCounts: () => Promise.resolve([]),
          countAccepted: () => Promise.resolve(0),
        },
        store,
        host: 'scanpc',
        random: () => 0.5,
        newId: () => `alert-${(this.#ids += 1)}`,
        around: () => this.#around(),
      },
      this.times,
    );
    this.#alerting.take(this.times, this.recipients, texts);
    void this.#alerting.run(stop.signal);
  }

  #around(): Around {
    for (const key of this.turns.keys()) {
      if (this.clock.now() >= this.#startedAt + FOUND_AGAIN) this.#found.add(key);
      if (!key.startsWith('DISK_FULL')) continue;
      if (!this.isWrong(key)) this.#incidents.close(key);
      else if (this.#found.has(key))
        this.#incidents.open({ key, code: 'DISK_FULL', params: { detail: key } });
    }
    const isAway = this.#found.has('folder /scans') && this.isWrong('folder /scans');
    return {
      incidents: this.#incidents.list(),
      isOfGeneration: (key) => key.includes('generation'),
      folders: [
        { path: '/scans', state: isAway ? 'missing' : 'watching', why: null, since: this.clock.now() },
      ],
      endpoints: [],
      isLooking: false,
    };
  }

  turn(key: string): void {
    this.turns.set(key, [...(this.turns.get(key) ?? []), this.clock.now()]);
    // What begins or ends while the agent runs is seen at its next look.
    this.#found.add(key);
  }

  async restart(): Promise<void> {
    this.restarts += 1;
    this.isToDie = false;
    this.#kill();
    await this.start();
  }

  reload(): void {
    this.#startedAt = this.clock.now();
    for (const key of ['DISK_FULL generation', 'folder /scans']) this.#found.delete(key);
    this.#incidents.close('DISK_FULL generation');
    this.#alerting?.take(this.times, this.recipients, texts);
  }

  async pass(ms: number, stepMs = ms < 5 * MINUTE ? 5 * SECOND : 20 * SECOND): Promise<void> {
    await this.clock.advance(ms, stepMs, async () => {
      if (this.failure !== undefined) throw this.failure;
      if (this.isToDie) await this.restart();
      const now = this.clock.now();
      if (this.times.quietHours !== null || now < this.#startedAt + KNOWN_WITHIN) return;
      for (const [key, turns] of this.turns) {
        if (!this.isWrong(key) || now < (turns.at(-1) ?? 0) + KNOWN_WITHIN) continue;
        for (const { name, mode, troubledAt, isOpen } of this.recipients)
          if (mode === 'takes' && now > troubledAt + KNOWN_WITHIN && !isOpen.has(key))
            throw new Error(`${name} does not know of ${key}`);
      }
    });
  }

  /** Everything works and nothing changes until everybody must know how it is. */
  async end(): Promise<void> {
    this.diesAt = 'digest';
    for (const each of this.recipients) each.mode = 'takes';
    await this.pass(CALM + (this.times.quietHours === null ? 0 : DAY), 50 * SECOND);
    this.#kill();
    for (const { name, isOpen, openings } of this.recipients) {
      const wrong = [...this.turns.keys()].filter((key) => this.isWrong(key));
      assert.deepEqual([name, [...isOpen].toSorted()], [name, wrong.toSorted()]);
      for (const [key, turns] of this.turns) {
        const lasted = turns.filter(
          (turn, index) =>
            index % 2 === 0 && (turns[index + 1] ?? Infinity) - turn >= this.times.afterMs - LATE,
        );
        assert.ok(openings.get(key) ?? 0 <= lasted.length + this.restarts);
      }
    }
  }
}

const KEYS = ['DISK_FULL a', 'DISK_FULL b', 'DISK_FULL generation', 'folder /scans'];
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ what: fc.constant('turn' as const), keys: fc.subarray(KEYS, { minLength: 1 }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      what: fc.constant('channel' as const),
      at: fc.nat(2),
      mode: fc.constantFrom<Mode>('takes', 'takes', 'refuses', 'hangs', 'takesAndFails'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      what: fc.constantFrom('restart' as const, 'reload' as const, 'dieAtDelivery' as const),
    }),
  },
);
const waits = fc.constantFrom(0, 3 * SECOND, 20 * SECOND, MINUTE, 3 * MINUTE, 5 * MINUTE, 20 * MINUTE, HOUR);
const steps = fc.array(fc.tuple(step, waits), { minLength: 10, maxLength: 30, size: 'max' });

it.each([
  ['at any hour', { afterMs: 30 * SECOND, quietHours: null, digest: null }],
  [
    'outside quiet hours, with a digest',
    { afterMs: 2 * MINUTE, quietHours: parseHours(['12:00-13:00', '19:00-07:00']), digest: 17 * 60 },
  ],
] as const)(
  '%s each channel hears once of each problem, once of its end, never of the end of what goes on, and knows what is left',
  async (_when, times) => {
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        const world = new World(times);
        await world.start();
        for (const [each, ms] of all) {
          if (each.what === 'turn') for (const key of each.keys) world.turn(key);
          if (each.what === 'reload') world.reload();
          if (each.what === 'restart') await world.restart();
          if (each.what === 'dieAtDelivery') world.diesAt = 'opened';
          const recipient = each.what === 'channel' ? world.recipients[each.at] : undefined;
          if (recipient !== undefined && each.what === 'channel') recipient.mode = each.mode;
          await world.pass(ms);
        }
        await world.end();
        if (times.digest === null) return;
        const digests = world.recipients.map(({ alerts }) =>
          [...alerts.values()].filter(({ kind }) => kind === 'digest').map(({ until }) => until),
        );
        for (const each of digests) assert.equal(new Set(each).size, each.length);
      }),
      { numRuns: isEveryCase ? 100 : 3, endOnFailure: true },
    );
  },
);
