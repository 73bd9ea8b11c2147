import type { Clock } from '../core/ports/clock.ts';
import type { FolderSince } from './presence/presence.ts';
import type { Still } from './stability.ts';

/** An outage of the ledger is noticed within this time. */
const NOTICED_WITHIN_MS = 2 * 60_000;

/** What is remembered of a watched folder across configuration reloads. */
export interface RememberedFolder {
  /** Files changed later are new, when a shared ledger can't tell; wall-clock milliseconds. */
  since: number;
  /** Latest change time of its files, by the folder's own clock, in nanoseconds; null if none was ever looked at. */
  latestNs: bigint | null;
  /** The folder's first watch waits for the ledger; files that are new by then do not count as existing ones. */
  isHeldUp: boolean;
  /** Its last state, and when that began. */
  state: FolderSince | null;
  /** Incomplete files: a reload must not begin the patience with them anew. */
  readonly still: Map<string, Still>;
}

/**
 * Remembers the watched folders for the life of the process. Files in a folder are new since shortly before the ledger went
 * offline or, if it was so already, since this process watches the folder. Created before the ledger is opened, so that files
 * that arrive while it is being opened, or before a reload, still count as new.
 */
export class RememberedFolders {
  readonly #clock: Clock;
  readonly #folders = new Map<string, RememberedFolder>();
  /** True until the ledger was reached for the first time. */
  #isOffline = true;

  constructor(clock: Clock, folders: readonly { readonly path: string }[]) {
    this.#clock = clock;
    this.watch(folders);
  }

  /** Sets the watched folders. Files that are already in an added folder do not count as new. */
  watch(folders: readonly { readonly path: string }[]): void {
    const paths = new Set(folders.map(({ path }) => path));
    for (const path of this.#folders.keys()) if (!paths.has(path)) this.#folders.delete(path);
    for (const path of paths) this.of(path);
  }

  of(folder: string): RememberedFolder {
    const now = this.#clock.now();
    let found = this.#folders.get(folder);
    if (found === undefined) {
      found = { since: now, latestNs: null, isHeldUp: false, state: null, still: new Map() };
      this.#folders.set(folder, found);
    }
    // The clock was set back.
    if (now < found.since) found.since = now - NOTICED_WITHIN_MS;
    return found;
  }

  /** Call when an outage of the ledger is noticed. */
  wentOffline(): void {
    if (this.#isOffline) return;
    this.#isOffline = true;
    const since = this.#clock.now() - NOTICED_WITHIN_MS;
    for (const each of this.#folders.values()) if (!each.isHeldUp) each.since = since;
  }

  /** Makes every folder's first watch wait for the ledger; `isHeldUp` is cleared once the folder is known to be watched. */
  allHeldUp(): void {
    for (const each of this.#folders.values()) each.isHeldUp = true;
  }

  backOnline(): void {
    this.#isOffline = false;
  }
}
