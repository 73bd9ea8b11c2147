import type { Clock } from '../../core/ports/clock.ts';

/** What says which files of one folder came while the ledger could not be asked. */
export interface FolderSeenSince {
  /** Files that were changed later are new; wall-clock milliseconds. */
  since: number;
  /** The latest time of its files, by the folder's own clock; null: they were never looked at. */
  latestNs: bigint | null;
  /** Its first watch waits for the ledger: what is new by then did not lie there before. */
  isHeldUp: boolean;
}

/** The ledger was last surely reachable no longer than this before it was noticed that it is not. */
const NOTICED_WITHIN_MS = 2 * 60_000;

/**
 * Since when what comes into a folder is new, where a shared ledger can't tell: since the ledger was last there, but no longer than the
 * folder is watched. Made before the ledger is opened, and lasts as long as the process, so that neither the time that opening takes nor another
 * configuration makes old what came while the ledger was away.
 */
export class SeenSince {
  readonly #clock: Clock;
  readonly #folders = new Map<string, FolderSeenSince>();
  /** Until it was asked. */
  #isOffline = true;

  constructor(clock: Clock, folders: readonly { readonly path: string }[]) {
    this.#clock = clock;
    this.watch(folders);
  }

  /** These are watched, and no others; what lies by now in one that was not is there before. */
  watch(folders: readonly { readonly path: string }[]): void {
    const paths = new Set(folders.map(({ path }) => path));
    for (const path of this.#folders.keys()) if (!paths.has(path)) this.#folders.delete(path);
    for (const path of paths) this.of(path);
  }

  of(folder: string): FolderSeenSince {
    const now = this.#clock.now();
    let found = this.#folders.get(folder);
    if (found === undefined) {
      found = { since: now, latestNs: null, isHeldUp: false };
      this.#folders.set(folder, found);
    }
    // The clock was set back.
    if (now < found.since) found.since = now - NOTICED_WITHIN_MS;
    return found;
  }

  /** It was noticed that the ledger is away. */
  wentOffline(): void {
    if (this.#isOffline) return;
    this.#isOffline = true;
    const since = this.#clock.now() - NOTICED_WITHIN_MS;
    for (const each of this.#folders.values()) if (!each.isHeldUp) each.since = since;
  }

  /** Until each folder was watched for the first time, or found to be so already. */
  allHeldUp(): void {
    for (const each of this.#folders.values()) each.isHeldUp = true;
  }

  backOnline(): void {
    this.#isOffline = false;
  }
}
