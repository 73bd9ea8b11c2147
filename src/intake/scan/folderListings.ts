import type { Lane } from '../../core/domain/document.ts';
import { describeError } from '../../core/domain/errors.ts';
import type { Log } from '../../core/ports/log.ts';
import { DirectoryCache, type LookOver } from './directoryCache.ts';
import { reconcile, type ReconcileDeps } from './reconcile.ts';
import { ScanProgress } from './scanProgress.ts';
import { UnreadableDirs } from './unreadableDirs.ts';

export interface FolderListingsDeps extends Omit<ReconcileDeps, 'onMissed' | 'onUnreadableDir'> {
  readonly log: Log;
  /** Runs a listing while hints are followed beside it. */
  readonly beside: (list: () => Promise<void>) => Promise<void>;
  /** A listing of the whole folder begins. */
  readonly onWhole: () => void;
}

/** The listings of one folder, and what is known by them: how far it has been looked through, and what may be passed over. */
export class FolderListings {
  /** What a file or a listing is compared with. */
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

  /** Directories that could not be listed by the last listing that compared all. */
  get unreadableDirs(): number {
    return this.#unreadableDirs;
  }

  /** Somebody waits for a listing of the whole folder. */
  get isAskedFor(): boolean {
    return this.#isAskedFor;
  }

  ask(): void {
    this.#isAskedFor = true;
  }

  /** Whether directories may be passed over that are as they were. */
  get mayPassOver(): boolean {
    return !this.#directories.isEmpty;
  }

  get progress(): Omit<ScanProgress, 'during'> {
    return this.#progress;
  }

  /** Something may have been missed: everything is compared at the next listing. */
  forgetDirectories(): void {
    this.#directories.forget();
  }

  /** The folder may be another one by now. */
  forget(): void {
    this.#progress.forget();
    this.#directories.forget();
  }

  /** Every file is compared with the ledger. Resolves how many those are. */
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

  /** The same of directories in which something was created, renamed or deleted. */
  async changed(signal: AbortSignal): Promise<number> {
    // What was counted before is not counted again.
    return this.#whole('fresh', this.#directories.lookOver(false), signal);
  }

  /** The same of what lies in one directory. */
  async directory(dir: string, signal: AbortSignal): Promise<void> {
    try {
      await this.#list({ under: dir, full: false, lane: 'fresh' }, signal);
    } catch (error) {
      // A directory that came and went: the next full listing knows. The folder itself is another matter.
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
