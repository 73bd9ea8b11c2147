import type { Lane } from '../../core/domain/document.ts';
import { describeError } from '../../core/domain/errors.ts';
import type { Log } from '../../core/ports/log.ts';
import { DirectoryCache, type LookOver } from './directoryCache.ts';
import { reconcile, type ReconcileDeps } from './reconcile.ts';
import { ScanProgress } from './scanProgress.ts';
import { UnreadableDirs } from './unreadableDirs.ts';

export interface FolderListingsDeps extends Omit<ReconcileDeps, 'onMissed' | 'onUnreadableDir'> {
  readonly log: Log;
  /** Runs a listing while hints are handled concurrently. */
  readonly beside: (list: () => Promise<void>) => Promise<void>;
  /** A listing of the whole folder begins. */
  readonly onWhole: () => void;
  /** All directories in the folder that can't be listed, with the system's error code, whenever they change. */
  readonly onUnlisted: (directories: ReadonlyMap<string, string>) => void;
  /** The subfolders that hold images and are not watched, after a listing of the whole folder. */
  readonly onUnwatched: (subfolders: readonly string[]) => void;
}

/** How often subfolders that are not watched are looked into, at most: a share is listed every few seconds. */
const UNWATCHED_EVERY_MS = 10 * 60_000;

/** Runs the listings of one folder. Tracks how far it has been looked through and which directories the next may skip. */
export class FolderListings {
  /** For comparing a single file, outside a listing. */
  readonly deps: ReconcileDeps;
  readonly #log: Log;
  readonly #beside: FolderListingsDeps['beside'];
  readonly #onWhole: () => void;
  readonly #onUnwatched: FolderListingsDeps['onUnwatched'];
  readonly #progress: ScanProgress;
  readonly #directories = new DirectoryCache();
  readonly #unreadable: UnreadableDirs;
  #isAskedFor = false;
  #lastListing: number | null = null;
  #unwatchedAt = -Infinity;
  #metUnreadable: (path: string, code: string) => void = () => {};

  constructor({ log, beside, onWhole, onUnlisted, onUnwatched, ...deps }: FolderListingsDeps) {
    this.#log = log;
    this.#beside = beside;
    this.#onWhole = onWhole;
    this.#onUnwatched = onUnwatched;
    this.#progress = new ScanProgress(deps.clock, deps.settling);
    this.#unreadable = new UnreadableDirs(onUnlisted);
    this.deps = {
      ...deps,
      onMissed: () => this.forgetDirectories(),
      onUnreadableDir: (path, code) => {
        // It may have come and gone, or the share is being unmounted.
        if (code !== 'ENOENT') this.#metUnreadable(path, code);
      },
    };
  }

  get last(): number | null {
    return this.#lastListing;
  }

  /** Number of directories that can't be listed. */
  get unreadableDirs(): number {
    return this.#unreadable.size;
  }

  /** Whether `ask` was called and no listing that compares all has begun since. */
  get isAskedFor(): boolean {
    return this.#isAskedFor;
  }

  ask(): void {
    this.#isAskedFor = true;
  }

  /** Whether a listing could skip unchanged directories. */
  get mayPassOver(): boolean {
    return !this.#directories.isEmpty;
  }

  get progress(): Omit<ScanProgress, 'during'> {
    return this.#progress;
  }

  /** Call it when a change may have been missed: the next listing compares everything. */
  forgetDirectories(): void {
    this.#directories.forget();
  }

  /** Call it when the folder may have been replaced or was not watched. */
  forget(): void {
    this.#progress.forget();
    this.#directories.forget();
  }

  /** Compares every file with the ledger. Resolves how many. */
  async all(lane: Lane, signal: AbortSignal): Promise<number> {
    this.#isAskedFor = false;
    const lookOver = this.#directories.lookOver(true);
    let compared = 0;
    await this.#progress.during(async () => {
      compared = await this.#whole(lane, lookOver, signal);
    });
    await this.#lookForUnwatched();
    return compared;
  }

  /** Compares the files of directories in which something was created, renamed or deleted. Resolves how many. */
  async changed(signal: AbortSignal): Promise<number> {
    return this.#whole('fresh', this.#directories.lookOver(false), signal);
  }

  /** Compares the files of one directory and those below it that the ledger does not know yet. */
  async directory(dir: string, signal: AbortSignal): Promise<void> {
    try {
      await this.#list({ under: dir, full: false, lane: 'fresh' }, signal);
    } catch (error) {
      // A subdirectory may have been deleted again; the next full listing finds out. A failure of the folder itself counts.
      if (dir === '' || signal.aborted) throw error;
      this.#log.debug('directoryNotListed', { path: dir, ...describeError(error) });
    }
  }

  async #whole(lane: Lane, lookOver: LookOver, signal: AbortSignal): Promise<number> {
    this.#onWhole();
    return this.#list({ lane, lookOver, under: '', full: true }, signal);
  }

  async #list(how: Parameters<typeof reconcile>[1], signal: AbortSignal): Promise<number> {
    const unreadable = this.#unreadable.listing(how.under);
    this.#metUnreadable = (path, code) => unreadable.met(path, code);
    let compared = 0;
    await this.#beside(async () => {
      compared = await reconcile(this.deps, how, signal);
    });
    unreadable.over();
    this.#lastListing = this.deps.clock.now();
    return compared;
  }

  async #lookForUnwatched(): Promise<void> {
    const now = this.deps.clock.monotonic();
    if (now < this.#unwatchedAt + UNWATCHED_EVERY_MS) return;
    this.#unwatchedAt = now;
    try {
      this.#onUnwatched(await this.deps.folder.unwatched());
    } catch (error) {
      // The folder went away; the next listing finds that out.
      this.#log.debug('subfoldersNotExamined', describeError(error));
    }
  }
}
