import { ReceiptdError, systemCode } from '../../core/domain/errors.ts';
import type { Incidents } from '../../core/ports/incident.ts';

/**
 * Reports the system's limits on watches (inotify). A limit affects all folders, so each limit is one incident, open while
 * any folder is listed at intervals because of it.
 */
export class WatchLimit {
  readonly #incidents: Incidents;
  readonly #folders = new Map<string, Set<string>>();

  constructor(incidents: Incidents) {
    this.#incidents = incidents;
  }

  /** Records that a folder reached a limit. False if the trouble has another cause. */
  reached(folder: string, trouble: unknown): boolean {
    if (!(trouble instanceof ReceiptdError) || trouble.code !== 'WATCH_LIMIT') return false;
    const limit = systemCode(trouble.cause);
    // Without a system error, the limit concerns only this folder.
    const key = limit === undefined ? `WATCH_LIMIT ${folder}` : `WATCH_LIMIT ${limit}`;
    const folders = this.#folders.get(key) ?? new Set();
    this.#folders.set(key, folders.add(folder));
    this.#incidents.open({
      key,
      code: 'WATCH_LIMIT',
      params: { folders: [...folders], system: limit ?? null },
    });
    return true;
  }

  /** Call when the folder is watched by events again, or no longer watched at all. */
  over(folder: string): void {
    for (const [key, folders] of this.#folders) {
      if (!folders.delete(folder) || folders.size > 0) continue;
      this.#folders.delete(key);
      this.#incidents.close(key);
    }
  }
}
