import type { Clock } from '../core/ports/clock.ts';
import type { Incidents } from '../core/ports/incident.ts';
import type { LedgerStorage } from '../core/ports/ledger.ts';

/** So many commits in a row have to be slow, or quick again, before anything is said: any disk is slow once. */
const COMMITS = 5;
const SLOW_MS = 1_000;
const QUICK_MS = 500;
const KEY = 'slowDisk';
/** Without any answer. */
const SILENT_MS = 30_000;
const LOOK_EVERY_MS = 10_000;
const SILENT_KEY = 'silentDisk';

/**
 * Tells when the disk of the state directory is so slow that it is felt: nothing is sent before it is recorded.
 *
 *   quick ──five commits in a row of a second or more──▶ slow (one incident) ──five of less than half a second──▶ quick
 *   answering ──nothing that is asked of the ledger is answered for 30 s──▶ silent (one incident) ──an answer──▶ answering
 */
export class SlowDisk {
  readonly #stateDir: string;
  readonly #incidents: Pick<Incidents, 'open' | 'close'>;
  #latest: number[] = [];
  #isSlow = false;
  #isSilent = false;

  constructor(stateDir: string, incidents: Pick<Incidents, 'open' | 'close'>) {
    this.#stateDir = stateDir;
    this.#incidents = incidents;
  }

  /** A commit has waited for so long until the disk had it. */
  synced(ms: number): void {
    this.#latest = [...this.#latest.slice(1 - COMMITS), ms];
    if (this.#latest.length < COMMITS) return;
    if (!this.#isSlow && Math.min(...this.#latest) >= SLOW_MS) {
      this.#isSlow = true;
      const seconds = (Math.min(...this.#latest) / 1_000).toFixed(1);
      this.#incidents.open({
        key: KEY,
        code: 'DISK_SLOW',
        message: `The disk of ${this.#stateDir} takes ${seconds} seconds or more per record. Nothing is lost, but every receipt is delayed.`,
        hint: "Check the disk's health and what else uses it, or move stateDir to a faster disk.",
      });
    } else if (this.#isSlow && Math.max(...this.#latest) < QUICK_MS) {
      this.#isSlow = false;
      this.#incidents.close(KEY);
    }
  }

  /** Looks until aborted whether the ledger answers. */
  async watch(storage: Pick<LedgerStorage, 'silentMs'>, clock: Clock, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#silent(storage.silentMs?.() ?? 0);
      await clock.sleep(LOOK_EVERY_MS, signal).catch(() => {});
    }
  }

  #silent(ms: number): void {
    const isSilent = ms >= SILENT_MS;
    if (isSilent === this.#isSilent) return;
    this.#isSilent = isSilent;
    if (!isSilent) return this.#incidents.close(SILENT_KEY);
    this.#incidents.open({
      key: SILENT_KEY,
      code: 'DISK_SLOW',
      message: `The disk of ${this.#stateDir} has not responded for more than ${SILENT_MS / 1_000} seconds. Nothing is lost, but every receipt is delayed.`,
      hint: "Check the disk's health and the system log. The agent continues automatically once the disk responds.",
    });
  }
}
