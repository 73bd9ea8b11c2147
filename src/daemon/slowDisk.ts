import type { Clock } from '../core/ports/clock.ts';
import type { Incidents } from '../core/ports/incident.ts';
import type { LedgerStorage } from '../core/ports/ledger.ts';

/** Consecutive slow (or fast) commits before the state changes: any disk is slow now and then. */
const COMMITS = 5;
const SLOW_MS = 1_000;
const QUICK_MS = 500;
const KEY = 'slowDisk';
/** How long the ledger may go without answering. */
const SILENT_MS = 30_000;
const LOOK_EVERY_MS = 10_000;
const SILENT_KEY = 'silentDisk';

/**
 * Reports when the disk of the state directory slows uploads down: nothing is sent before it is recorded.
 *
 *   quick ──five commits in a row of a second or more──▶ slow (one incident) ──five of less than half a second──▶ quick
 *   answering ──no answer from the ledger for 30 s──▶ silent (one incident) ──an answer──▶ answering
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

  /** Records how long a commit waited for the disk. */
  synced(ms: number): void {
    this.#latest = [...this.#latest.slice(1 - COMMITS), ms];
    if (this.#latest.length < COMMITS) return;
    if (!this.#isSlow && Math.min(...this.#latest) >= SLOW_MS) {
      this.#isSlow = true;
      const seconds = Math.round(Math.min(...this.#latest) / 100) / 10;
      this.#open(KEY, seconds, true);
    } else if (this.#isSlow && Math.max(...this.#latest) < QUICK_MS) {
      this.#isSlow = false;
      this.#incidents.close(KEY);
    }
  }

  /** Checks until aborted whether the ledger answers. */
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
    this.#open(SILENT_KEY, SILENT_MS / 1_000, false);
  }

  #open(key: string, seconds: number, answers: boolean): void {
    this.#incidents.open({ key, code: 'DISK_SLOW', params: { stateDir: this.#stateDir, seconds, answers } });
  }
}
