import type { Incidents } from '../ports/incident.ts';

/** So many commits in a row have to be slow, or quick again, before anything is said: any disk is slow once. */
const COMMITS = 5;
const SLOW_MS = 1_000;
const QUICK_MS = 500;
const KEY = 'slowDisk';

/**
 * Tells when the disk of the state directory is so slow that it is felt: nothing is sent before it is recorded.
 *
 *   quick ──five commits in a row of a second or more──▶ slow (one incident) ──five of less than half a second──▶ quick
 */
export class SlowDisk {
  readonly #stateDir: string;
  readonly #incidents: Pick<Incidents, 'open' | 'close'>;
  #latest: number[] = [];
  #isSlow = false;

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
        message: `The disk of ${this.#stateDir} takes ${seconds} seconds and more for each record. Nothing is lost, and every receipt waits for it.`,
        hint: 'Look at what else uses it, and at its health; or move stateDir to a faster one.',
      });
    } else if (this.#isSlow && Math.max(...this.#latest) < QUICK_MS) {
      this.#isSlow = false;
      this.#incidents.close(KEY);
    }
  }
}
