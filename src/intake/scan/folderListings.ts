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
}

/** Runs the listings of one folder. Tracks how far it has been looked through and which directories the next may skip. */
export class FolderListings {
  /** For comparing a single file, outside a listing. */
  readonly deps: ReconcileDeps;
  readonly #log: Log;
  readonly #beside: FolderListingsDeps['beside'];
  readonly #onWhole: () => void;
  readonly #progress: ScanProgress;
  readonly #directories = new DirectoryCache();
  readonly #unreadable: UnreadableDirs;
  #isAskedFor = false;
  #lastListing: number | null = null;
  #unreadableDirs = 0;

  constructor({ log, beside, onWhole, ...deps }: FolderListingsDeps) {
    this.#log = log;
    this.#beside = beside;
    this.#onWhole = onWhole;
    this.#progress = new ScanProgress(deps.clock, deps.settling);
    this.#unreadable = new UnreadableDirs(deps.settings.path, log);
    this.deps = {
      ...deps,
      onMissed: () => this.forgetDirectories(),
      onUnreadableDir: (path, code) => this.#unreadableDir(path, code),
    };
  }

  get last(): number | null {
    return this.#lastListing;
  }

  /** Number of directories that could not be listed since the last listing that compares all began. */
  get unreadableDirs(): number {
    return this.#unreadableDirs;
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
    this.#unreadableDirs = 0;
    this.#isAskedFor = false;
    const lookOver = this.#directories.lookOver(true);
    let compared = 0;
    await this.#progress.during(async () => {
      compared = await this.#whole(lane, lookOver, signal);
    });
    return compared;
  }

  /** Compares the files of directories in which something was created, renamed or deleted. Resolves how many. */
  async changed(signal: AbortSignal): Promise<number> {
    // Leaves `#unreadableDirs` alone: it is the count of a full listing.
    return this.#whole('fresh', this.#directories.lookOver(false), signal);
  }

  /** Compares the files of one directory and those below it that the ledger does not know yet. */
  async directory(dir: string, signal: AbortSignal): Promise<void> {
    try {
      await this.#list({ under: dir, full: false, lane: 'fresh' }, signal);
    } catch (error) {
      // A subdirectory may have been deleted again; the next full listing finds out. A failure of the folder itself counts.
      if (dir === '' || signal.aborted) throw error;
      this.#log.debug('A directory could not be listed', { path: dir, ...describeError(error) });
    }
  }

  async #whole(lane: Lane, lookOver: LookOver, signal: AbortSignal): Promise<number> {
    this.#onWhole();
    const listed = this.#unreadable.listing();
    const compared = await this.#list({ lane, lookOver, under: '', full: true }, signal);
    listed();
    return compared;
  }

  async #list(how: Parameters<typeof reconcile>[1], signal: AbortSignal): Promise<number> {
    let compared = 0;
    await this.#beside(async () => {
      compared = await reconcile(this.deps, how, signal);
    });
    this.#lastListing = this.deps.clock.now();
    return compared;
  }

  #unreadableDir(path: string, code: string): void {
    if (code === 'ENOENT') return;
    this.#unreadableDirs += 1;
    this.#unreadable.met(path, code);
  }
}
