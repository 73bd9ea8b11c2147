import {
  countIn,
  isOfOtherAgent,
  patienceOf,
  type Condition,
  type Problem,
} from '../../core/domain/problem.ts';
import type { AlertChannelName } from '../../core/ports/alert.ts';
import { isQuiet, type AlertTimes } from './times.ts';
import type { AlertState, AlertEntry, ReportedCause } from './state.ts';

/*
 * What is wrong, and which of it was sent. Each cause is
 *
 *   young ──has lasted `after`──▶ due ──sent──▶ open ──is gone──▶ gone for now ──has stayed away──▶ over
 *     │                            │             ▲                    │
 *     └──────is gone: forgotten────┘             └────comes back──────┘
 *
 * due    waits for the end of the quiet hours, for others that are about to become due, and for a free place in the hour
 * over   is sent too; a cause that comes back before that counts as never gone
 *
 * The more often a cause was sent within a day, the longer it has to stay away: if it comes and goes all day, people get about five alerts,
 * not five hundred.
 */

/** Something that is wrong now and that people are alerted about. */
export interface Cause {
  readonly key: string;
  readonly condition: Condition;
  /** Wall-clock milliseconds. */
  readonly since: number;
  readonly count: number | null;
  /** How long it must last before it is sent; null: as configured. */
  readonly patienceMs: number | null;
  /** Independent of the configuration, so it is over as soon as it is absent. */
  readonly isOfProcess: boolean;
}

/** Other agents alert about their problems, and whoever paused something knows. `ofProcess`: keys. */
export function causesOf(
  problems: readonly Problem[],
  ofProcess: ReadonlySet<string>,
  now: number,
): Map<string, Cause> {
  const causes = problems.flatMap(({ key, since, code, params }): Cause[] => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    const condition = { code, params } as Condition;
    const patienceMs = patienceOf(condition);
    if (patienceMs === 'never' || isOfOtherAgent(condition)) return [];
    return [
      {
        key,
        condition,
        // The ledger does not say when the first document failed, so it counts from the first look.
        since: since === null ? now : Date.parse(since),
        count: countIn(condition),
        patienceMs,
        isOfProcess: ofProcess.has(key),
      },
    ];
  });
  return new Map(causes.map((cause) => [cause.key, cause]));
}

/** One alert: the causes that it covers. */
export interface Telling {
  readonly id: string;
  readonly kind: 'opened' | 'closed' | 'stillOpen';
  readonly causes: readonly ReportedCause[];
  /** Earlier alerts about these causes. */
  readonly follows: readonly string[];
  /** The channel concerned, if any: it can't report its own failure. */
  readonly about: string | null;
  /** Causes that began and ended in the preceding quiet hours. */
  readonly endedUntold: number;
}

/** Why an open cause was not sent, for people who ask. */
export type Untold = 'young' | 'quietHours' | 'soon' | 'noChannel';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
/** Causes that become due within this time are sent along with the first. */
const GATHER_MS = MINUTE_MS;
/** Alerts an hour that are sent right away; further ones are grouped. */
const FREELY = 6;
const SPACING_MS = 10 * MINUTE_MS;
/** After a start or a new configuration, it takes this long until every earlier problem is found again. */
const MET_AGAIN_MS = 2 * MINUTE_MS;
/** How soon growth is sent again. */
const GROWTH_MS = 4 * HOUR_MS;

export class Book {
  readonly #state: AlertState;
  readonly #newId: () => string;
  readonly #entries = new Map<string, AlertEntry>();
  /** Keys that were there at the last look. */
  #present: ReadonlySet<string> = new Set();
  /** Known from before the start or the last change of the configuration, and not found again since. */
  #unmet = new Set<string>();
  /** Found since the start, and independent of the configuration: if absent, they are over. */
  readonly #ofProcess = new Set<string>();
  #doubtedAt = -Infinity;
  #awakeSince = -Infinity;
  /** What was sent or is about to be; it must be durable before it is sent. */
  isChanged = false;

  constructor(state: AlertState, newId: () => string) {
    this.#state = state;
    this.#newId = newId;
    for (const entry of state.entries) this.#entries.set(entry.key, entry);
  }

  /** Everything starts over: problems may take some time to be found again. */
  doubt(now: number): void {
    this.#unmet = new Set([...this.#entries.keys()].filter((key) => !this.#ofProcess.has(key)));
    this.#doubtedAt = now;
  }

  /** The machine was asleep: shares and networks need a moment after that, which does not count as lasting. */
  woke(now: number): void {
    this.#awakeSince = now;
  }

  /** @param isLooking whether not everything was checked yet, so that an absent cause may still be there */
  look(now: number, causes: ReadonlyMap<string, Cause>, isLooking: boolean, times: AlertTimes): void {
    // Also after the clock was set back.
    this.#awakeSince = Math.min(this.#awakeSince, now);
    if (now >= this.#doubtedAt + MET_AGAIN_MS || now < this.#doubtedAt) this.#unmet.clear();
    this.#present = new Set(causes.keys());
    for (const cause of causes.values()) this.#meet(now, cause);
    for (const entry of this.#entries.values()) {
      entry.tellings = entry.tellings.map((at) => Math.min(at, now)).filter((at) => at > now - DAY_MS);
      if (this.#present.has(entry.key)) continue;
      const mayBeThere = (isLooking && !this.#ofProcess.has(entry.key)) || this.#unmet.has(entry.key);
      if (entry.awaySince === null && !mayBeThere) this.#lose(now, entry, times);
      if (entry.awaySince === null) continue;
      // The clock was set back.
      entry.awaySince = Math.min(entry.awaySince, now);
      if (entry.told === null && entry.tellings.length === 0) this.#forget(entry.key);
    }
    this.#state.entries = [...this.#entries.values()];
  }

  #forget(key: string): void {
    this.#entries.delete(key);
    this.#ofProcess.delete(key);
  }

  #meet(now: number, cause: Cause): void {
    const { key, condition, count, patienceMs, isOfProcess } = cause;
    if (isOfProcess) this.#ofProcess.add(key);
    const since = Math.min(cause.since, now);
    this.#unmet.delete(key);
    const entry = this.#entries.get(key);
    if (entry === undefined) {
      const fresh = { awaySince: null, told: null, tellings: [], returns: 0 };
      this.#entries.set(key, { key, condition, count, patienceMs, since, ...fresh });
      return;
    }
    if (entry.awaySince !== null) {
      if (entry.told !== null) entry.returns += 1;
      else entry.since = since;
      entry.awaySince = null;
    }
    // A restart counts from zero, but the trouble has lasted longer.
    entry.since = Math.min(entry.since, since);
    Object.assign(entry, { condition, count, patienceMs });
    if (entry.told === null) return;
    entry.told.at = Math.min(entry.told.at, now);
    if (entry.told.count !== null && count !== null) entry.told.count = Math.min(entry.told.count, count);
  }

  #lose(now: number, entry: AlertEntry, times: AlertTimes): void {
    entry.awaySince = now;
    const wasDue = now >= dueAt(entry, times);
    if (entry.told === null && wasDue && isQuiet(times.quietHours, now)) this.#state.endedUntold += 1;
  }

  /** What to send now; it counts as sent from then on. `channels`: the configured ones. */
  tell(now: number, times: AlertTimes, channels: readonly string[]): Telling[] {
    const told = this.#state.toldAt.filter((at) => at <= now && at > now - HOUR_MS);
    this.#state.toldAt = told;
    if (channels.length === 0 || isQuiet(times.quietHours, now)) return [];
    if (told.length >= FREELY && now < (told.at(-1) ?? 0) + SPACING_MS) return [];
    const tellings = [
      ...this.#groups(now, times, channels, 'opened'),
      ...this.#groups(now, times, channels, 'closed'),
      ...this.#groups(now, times, channels, 'stillOpen'),
    ];
    if (tellings.length === 0) {
      // If it was not sent at the end of the quiet hours, it is no longer news.
      if (!this.#hasUntold()) this.#state.endedUntold = 0;
      return [];
    }
    told.push(...tellings.map(() => now));
    this.#state.endedUntold = 0;
    this.isChanged = true;
    return tellings;
  }

  #hasUntold(): boolean {
    return [...this.#entries.values()].some(({ key, told }) => told === null && this.#present.has(key));
  }

  #groups(now: number, times: AlertTimes, channels: readonly string[], kind: Telling['kind']): Telling[] {
    const abouts = new Map<string | null, AlertEntry[]>();
    for (const entry of this.#due(now, times, kind)) {
      const about = channelOf(entry);
      if (channels.every((channel) => channel === about)) continue;
      abouts.set(about, [...(abouts.get(about) ?? []), entry]);
    }
    return [...abouts].map(([about, entries]) => this.#tell(now, times, kind, about, entries));
  }

  #due(now: number, times: AlertTimes, kind: Telling['kind']): AlertEntry[] {
    const all = [...this.#entries.values()];
    if (kind === 'stillOpen') return all.filter((entry) => hasGrown(entry, now));
    const candidates =
      kind === 'opened'
        ? all.filter(({ key, told }) => told === null && this.#present.has(key))
        : all.filter(({ told, awaySince }) => told !== null && awaySince !== null);
    const soonest = this.#awakeSince + times.afterMs;
    const at = (entry: AlertEntry): number =>
      kind === 'opened' ? Math.max(soonest, dueAt(entry, times)) : overAt(entry, times);
    const due = candidates.filter((entry) => at(entry) <= now);
    const first = Math.min(...due.map(at));
    const isComing = candidates.some((entry) => at(entry) > now && at(entry) <= first + GATHER_MS);
    return isComing ? [] : due;
  }

  #tell(
    now: number,
    times: AlertTimes,
    kind: Telling['kind'],
    about: string | null,
    entries: readonly AlertEntry[],
  ): Telling {
    const id = this.#newId();
    const follows = [...new Set(entries.flatMap(({ told }) => told?.alert ?? []))];
    if (kind === 'opened') for (const { tellings } of entries) tellings.push(now);
    const causes = entries.map((entry): ReportedCause => {
      const { key, condition, since, awaySince, count, tellings, returns } = entry;
      const until = kind === 'closed' ? awaySince : null;
      const awayMs = awayFor(entry, times);
      return { key, condition, since, until, count, times: tellings.length, returns, awayMs };
    });
    for (const entry of entries) {
      entry.told =
        kind === 'closed'
          ? null
          : { alert: id, takenAt: null, takenBy: [], ...entry.told, at: now, count: entry.count };
      if (kind === 'closed') entry.returns = 0;
    }
    const endedUntold = kind === 'opened' && about === null ? this.#state.endedUntold : 0;
    return { id, kind, causes, follows, about, endedUntold };
  }

  /** A channel has delivered it: from now on, someone knows. */
  taken(alert: string, by: AlertChannelName, now: number): void {
    for (const { told } of this.#entries.values()) {
      if (told?.alert !== alert) continue;
      told.takenAt ??= now;
      if (!told.takenBy.includes(by)) told.takenBy.push(by);
    }
  }

  /** Open causes, and why they were not sent. */
  open(
    now: number,
    times: AlertTimes,
    channels: readonly string[],
  ): { readonly entry: AlertEntry; readonly untold: Untold | null }[] {
    return [...this.#entries.values()]
      .filter(({ key, told }) => told !== null || this.#present.has(key))
      .map((entry) => ({ entry, untold: entry.told === null ? why(entry, now, times, channels) : null }));
  }
}

function why(entry: AlertEntry, now: number, times: AlertTimes, channels: readonly string[]): Untold {
  const about = channelOf(entry);
  if (channels.every((channel) => channel === about)) return 'noChannel';
  if (now < dueAt(entry, times)) return 'young';
  return isQuiet(times.quietHours, now) ? 'quietHours' : 'soon';
}

function dueAt({ since, patienceMs }: AlertEntry, { afterMs }: AlertTimes): number {
  return since + Math.max(afterMs, patienceMs ?? 0);
}

function overAt(entry: AlertEntry, times: AlertTimes): number {
  return (entry.awaySince ?? 0) + awayFor(entry, times);
}

/** By how often it was sent within a day. */
const AWAY_MS = [0, 0, 0, HOUR_MS, 4 * HOUR_MS, 12 * HOUR_MS];

function awayFor({ tellings }: AlertEntry, { afterMs }: AlertTimes): number {
  return Math.max(afterMs, AWAY_MS[Math.min(tellings.length, AWAY_MS.length - 1)] ?? 0);
}

function hasGrown({ told, count, awaySince }: AlertEntry, now: number): boolean {
  if (told === null || awaySince !== null || count === null) return false;
  return count > (told.count ?? count) && now >= told.at + GROWTH_MS;
}

/** Key of the incident about a channel that does not work. */
export function undeliveredKey(channel: string): string {
  return `ALERT_UNDELIVERED ${channel}`;
}

/** The channel that a cause is about; null for every other cause. */
function channelOf({ condition: { code, params } }: AlertEntry): string | null {
  return code === 'ALERT_UNDELIVERED' ? params.channel : null;
}
