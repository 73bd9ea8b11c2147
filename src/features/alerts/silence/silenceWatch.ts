import { setImmediate as nextTurn } from 'node:timers/promises';
import { Arrivals, dayOf } from './arrivals.ts';
import { describeError } from '../../../core/domain/errors.ts';
import { HISTORY_DAYS } from './silence.ts';
import { silentAmong, type FolderArrivals } from './silentFolders.ts';
import { ClockWatch } from '../../../core/domain/clockWatch.ts';
import type { Clock } from '../../../core/ports/clock.ts';
import type { Incident, Incidents } from '../../../core/ports/incident.ts';
import type { LedgerStorage } from '../../../core/ports/ledger.ts';
import type { LedgerReports } from '../../../core/ports/ledgerReports.ts';
import type { Log } from '../../../core/ports/log.ts';
import { zoneName } from '../../../system/zone.ts';
import { incidentsOf } from './silenceIncidents.ts';

export interface FolderNow {
  readonly path: string;
  readonly state: string;
  readonly isPaused: boolean;
}

export interface SilenceDeps {
  readonly ledger: Pick<LedgerReports, 'arrivals'> & { readonly storage: LedgerStorage };
  readonly clock: Clock;
  readonly log: Log;
}

const LOOK_EVERY_MS = 60_000;
const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;
/** What was seen a moment ago may not be written yet. */
const WRITTEN_AFTER_MS = 30_000;
/** In which the ledger counts; every time zone is whole in it. */
const COUNTED_IN_MS = 5 * 60_000;
/** The clock was set, or the machine slept. */
const JUMP_MS = 60_000;

/**
 * Tells when a folder is silent in which scans would have come by now. Each folder is
 *
 *   unseen ──watched──▶ seen (since then) ──in trouble, paused, clock jumped, nothing can be recorded──▶ unseen
 *
 * and only what did not come while it was seen counts: not what an agent that did not run can't know. Judged once in every hour;
 * while it is silent every minute, so that it is over with the first scan. Lives as long as the process, so that a changed
 * configuration does not make it forget.
 */
export class SilenceWatch {
  readonly #deps: SilenceDeps;
  readonly #clockWatch: ClockWatch;
  readonly #seenSince = new Map<string, number>();
  readonly #arrivals = new Map<string, Arrivals>();
  readonly #open = new Map<string, Omit<Incident, 'since'>>();
  /** What came before is in `#arrivals`; null: nothing is. */
  #readUntil: number | null = null;
  /** In which days and hours of `#arrivals` are counted. */
  #zone = '';
  #judgedHour: number | null = null;
  #isWanted: boolean;

  constructor(deps: SilenceDeps, isWanted: boolean) {
    this.#deps = deps;
    this.#clockWatch = new ClockWatch(deps.clock);
    this.#isWanted = isWanted;
  }

  /** The configuration may change while it runs. */
  take(isWanted: boolean): void {
    this.#isWanted = isWanted;
  }

  /** One generation after the other, until `signal` aborts. */
  async run(folders: () => readonly FolderNow[], incidents: Incidents, signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#deps;
    for (const incident of this.#open.values()) incidents.open(incident);
    while (!signal.aborted) {
      await clock.sleep(LOOK_EVERY_MS, signal).catch(() => {});
      if (signal.aborted) return;
      try {
        await this.#look(folders(), incidents, signal);
      } catch (error) {
        if (!signal.aborted) log.debug('Whether folders are silent could not be told', describeError(error));
      }
    }
  }

  async #look(folders: readonly FolderNow[], incidents: Incidents, signal: AbortSignal): Promise<void> {
    this.#see(folders, incidents);
    const now = this.#deps.clock.now() - WRITTEN_AFTER_MS;
    // Not of UTC: there are zones of half an hour.
    const hour = new Date(now).setMinutes(0, 0, 0);
    if (!this.#isWanted) return this.#tell([], incidents);
    if (this.#open.size === 0 && this.#judgedHour === hour) return;
    const since = Math.min(...this.#seenSince.values());
    // Nothing to be read for: not one full hour was looked through.
    if (this.#open.size === 0 && since > hour - HOUR_MS) return;
    await this.#read(now, signal);
    this.#judgedHour = hour;
    const seen = folders.flatMap(({ path }): FolderArrivals[] => {
      const from = this.#seenSince.get(path);
      return from === undefined ? [] : [{ path, since: from, arrivals: this.#arrivalsOf(path) }];
    });
    this.#tell(
      incidentsOf(
        silentAmong(seen, now),
        seen.map(({ path }) => path),
        now,
      ),
      incidents,
    );
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

  /** A day at a time, since a busy year has many. */
  async #read(now: number, signal: AbortSignal): Promise<void> {
    const zone = zoneName();
    if (this.#readUntil === null || now < this.#readUntil || zone !== this.#zone) {
      this.#zone = zone;
      this.#arrivals.clear();
      this.#readUntil = now - HISTORY_DAYS * DAY_MS;
    }
    for (let from = this.#readUntil; from < now; from = this.#readUntil) {
      const to = Math.min(now, from + DAY_MS);
      for (const { folder, at, count } of await this.#deps.ledger.arrivals(from, to, COUNTED_IN_MS))
        this.#arrivalsOf(folder).add(Math.max(at, from), count);
      this.#readUntil = to;
      await nextTurn();
      signal.throwIfAborted();
    }
    for (const arrivals of this.#arrivals.values()) arrivals.forgetBefore(dayOf(now) - HISTORY_DAYS);
  }

  #arrivalsOf(path: string): Arrivals {
    const arrivals = this.#arrivals.get(path) ?? new Arrivals();
    this.#arrivals.set(path, arrivals);
    return arrivals;
  }

  #tell(now: readonly Omit<Incident, 'since'>[], incidents: Incidents): void {
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
