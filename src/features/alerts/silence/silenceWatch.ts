import { setImmediate as nextTurn } from 'node:timers/promises';
import { ClockWatch } from '../../../core/domain/clockWatch.ts';
import { describeError } from '../../../core/domain/errors.ts';
import { iso } from '../../../core/domain/words.ts';
import { dayOf, HISTORY_DAYS, ScanTimes, type SilentAfter } from './silence.ts';
import { SilentFolders, type SilentNow } from './silentFolders.ts';
import type { Clock } from '../../../core/ports/clock.ts';
import type { Incidents, OpenedIncident } from '../../../core/ports/incident.ts';
import type { LedgerStorage } from '../../../core/ports/ledger.ts';
import type { LedgerReports } from '../../../core/ports/ledgerReports.ts';
import type { Log } from '../../../core/ports/log.ts';
import { zoneName } from '../../../system/zone.ts';

export interface FolderNow {
  readonly path: string;
  readonly state: string;
  readonly isPaused: boolean;
}

export interface SilenceSetting {
  readonly path: string;
  readonly silentAfter: SilentAfter;
}

export interface SilenceDeps {
  readonly ledger: Pick<LedgerReports, 'arrivals'> & { readonly storage: LedgerStorage };
  readonly clock: Clock;
  readonly log: Log;
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const LOOK_EVERY_MS = MINUTE_MS;
/** Rare, so that an idle agent seldom queries the ledger. While a folder is silent, it is judged every minute, to notice the first scan. */
const JUDGE_EVERY_MS = 10 * MINUTE_MS;
/** A scan that was just seen may not be recorded yet. */
const WRITTEN_AFTER_MS = 30_000;
/** Bucket size of the ledger's counts; every time zone offset is a multiple of it. */
const COUNTED_IN_MS = 5 * MINUTE_MS;
/** A larger jump means that the clock was set or the machine slept. */
const JUMP_MS = MINUTE_MS;

/**
 * Opens an incident when a folder that gets scans falls silent. Each folder is
 *
 *   unseen ──watched──▶ seen (since then) ──in trouble, paused, clock jumped, nothing can be recorded──▶ unseen
 *
 * and only time in which it was seen counts, because scans at other times are unknown. Lives as long as the process, so that a
 * changed configuration does not reset it.
 */
export class SilenceWatch {
  readonly #deps: SilenceDeps;
  readonly #clockWatch: ClockWatch;
  readonly #seenSince = new Map<string, number>();
  readonly #times = new Map<string, ScanTimes>();
  readonly #open = new Map<string, OpenedIncident>();
  #silent = new SilentFolders();
  /** `#times` has all scans before this time; null if nothing was read yet. */
  #readUntil: number | null = null;
  /** Time zone of the days and minutes in `#times`. */
  #zone = '';
  #judgedAt: number;
  #silentAfter: ReadonlyMap<string, SilentAfter> = new Map();

  constructor(deps: SilenceDeps, settings: readonly SilenceSetting[]) {
    this.#deps = deps;
    this.#clockWatch = new ClockWatch(deps.clock);
    this.#judgedAt = deps.clock.monotonic();
    this.take(settings);
  }

  /** Applies a changed configuration. */
  take(settings: readonly SilenceSetting[]): void {
    this.#silentAfter = new Map(settings.map(({ path, silentAfter }) => [path, silentAfter]));
  }

  /** Runs until `signal` aborts. Called once per generation of the configuration. */
  async run(folders: () => readonly FolderNow[], incidents: Incidents, signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#deps;
    for (const incident of this.#open.values()) incidents.open(incident);
    while (!signal.aborted) {
      await clock.sleep(LOOK_EVERY_MS, signal).catch(() => {});
      if (signal.aborted) return;
      try {
        await this.#look(folders(), incidents, signal);
      } catch (error) {
        if (!signal.aborted) log.debug('folderSilenceUnknown', describeError(error));
      }
    }
  }

  async #look(folders: readonly FolderNow[], incidents: Incidents, signal: AbortSignal): Promise<void> {
    this.#see(folders, incidents);
    const { clock } = this.#deps;
    if (this.#open.size === 0) {
      if ([...this.#silentAfter.values()].every((setting) => setting === 'never')) return;
      if (Math.abs(clock.monotonic() - this.#judgedAt) < JUDGE_EVERY_MS) return;
    }
    const now = clock.now() - WRITTEN_AFTER_MS;
    await this.#read(now, signal);
    this.#judgedAt = clock.monotonic();
    const seen = folders.flatMap(({ path }) => {
      const since = this.#seenSince.get(path);
      const silentAfter = this.#silentAfter.get(path) ?? 'never';
      return since === undefined ? [] : [{ path, since, silentAfter, times: this.#timesOf(path) }];
    });
    this.#tell(incidentsOf(this.#silent.judge(seen, now), seen.length), incidents);
  }

  #see(folders: readonly FolderNow[], incidents: Incidents): void {
    const { clock, ledger } = this.#deps;
    const hasJumped = Math.abs(this.#clockWatch.takeJump()) > JUMP_MS;
    const isRecorded =
      ledger.storage.trouble() === null &&
      !incidents.list().some(({ code }) => code === 'SPOOL_FULL' || code === 'SPOOL_UNWRITABLE');
    if (hasJumped || !isRecorded) this.#seenSince.clear();
    const paths = new Set(folders.map(({ path }) => path));
    for (const path of this.#seenSince.keys()) if (!paths.has(path)) this.#seenSince.delete(path);
    for (const { path, state, isPaused } of folders) {
      if (isPaused || (state !== 'watching' && state !== 'starting')) this.#seenSince.delete(path);
      else if (state === 'watching' && isRecorded && !this.#seenSince.has(path))
        this.#seenSince.set(path, clock.now());
    }
  }

  /** Reads one day at a time, since a busy year has many scans. */
  async #read(now: number, signal: AbortSignal): Promise<void> {
    const zone = zoneName();
    if (this.#readUntil === null || now < this.#readUntil || zone !== this.#zone) {
      this.#zone = zone;
      this.#times.clear();
      this.#silent = new SilentFolders();
      this.#readUntil = now - (HISTORY_DAYS + 1) * DAY_MS;
    }
    for (let from = this.#readUntil; from < now; from = this.#readUntil) {
      const to = Math.min(now, from + DAY_MS);
      for (const { folder, at } of await this.#deps.ledger.arrivals(from, to, COUNTED_IN_MS))
        this.#timesOf(folder).add(Math.max(at, from));
      this.#readUntil = to;
      await nextTurn();
      signal.throwIfAborted();
    }
    for (const times of this.#times.values()) times.forgetBefore(dayOf(now) - HISTORY_DAYS);
  }

  #timesOf(path: string): ScanTimes {
    const times = this.#times.get(path) ?? new ScanTimes();
    this.#times.set(path, times);
    return times;
  }

  #tell(now: readonly OpenedIncident[], incidents: Incidents): void {
    const keys = new Set(now.map(({ key }) => key));
    for (const key of this.#open.keys()) {
      if (keys.has(key)) continue;
      this.#open.delete(key);
      incidents.close(key);
    }
    for (const incident of now) {
      this.#open.set(incident.key, incident);
      incidents.open(incident);
    }
  }
}

/** More folders than this falling silent at once have a common cause, and share one incident. */
const EACH_AT_MOST = 3;

/** The incidents to open. `watched`: number of folders checked. */
export function incidentsOf({ all, alone }: SilentNow, watched: number): OpenedIncident[] {
  const several = alone.slice(0, EACH_AT_MOST).map(({ path }) => path);
  const each = alone.map(({ path: folder, last, minutes, pause }): OpenedIncident => {
    const params = { folder, last: iso(last), minutes, pause };
    return { key: `FOLDER_SILENT ${folder}`, code: 'FOLDER_SILENT', params };
  });
  const together = (which: string, count: number, folders: readonly string[]): OpenedIncident => ({
    key: `FOLDERS_SILENT ${which}`,
    code: 'FOLDERS_SILENT',
    params: { count, watched, folders },
  });
  return [
    ...(alone.length > EACH_AT_MOST ? [together('several', alone.length, several)] : each),
    ...(all === null ? [] : [together('all', watched, [])]),
  ];
}
