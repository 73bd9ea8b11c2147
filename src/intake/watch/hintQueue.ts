import type { Clock } from '../../core/ports/clock.ts';
import { dirOf } from '../../core/paths.ts';
import { Notifier } from '../../core/notifier.ts';

/** Cap on queued paths; beyond it, their directories are listed instead. */
const HINTS_AT_ONCE = 1_000;
/** Hints after which events may have been lost: the system silently drops events if its queue is full (16,384 by default). */
const MANY_HINTS = 4_096;
/** Interval for checking `mayHandle` again while it is false. */
const ASK_AGAIN_MS = 2_000;

export interface HintQueueDeps {
  readonly clock: Clock;
  /** Looks at one path; resolves the directory that should be listed as well, or null. */
  readonly handleHint: (path: string) => Promise<string | null>;
  readonly onHandled: () => void;
  /** Hints or events may have been lost. */
  readonly onMissed: () => void;
  /** False while files that are found could not be handled. */
  readonly mayHandle: () => boolean;
}

/**
 * Queues hints from the events of one folder: paths to look at, and directories to list because events get lost in bursts.
 * Paths can be looked at during a listing, which may last minutes: files found either way are handled alike, and the listing
 * finds what the hints missed.
 */
export class HintQueue {
  readonly #deps: HintQueueDeps;
  readonly #notifier: Notifier;
  readonly #paths = new Set<string>();
  readonly #dirs = new Set<string>();
  /** Number of hints since `takeDirs`. */
  #hints = 0;

  constructor(deps: HintQueueDeps) {
    this.#deps = deps;
    this.#notifier = new Notifier(deps.clock);
  }

  get hasPaths(): boolean {
    return this.#paths.size > 0;
  }

  get hasDirs(): boolean {
    return this.#dirs.size > 0;
  }

  /** Adds a path, relative to the folder; '' is the folder itself. */
  add(path: string): void {
    const isOver = this.#paths.size >= HINTS_AT_ONCE;
    if (path === '' || isOver) this.#dirs.add(path === '' ? '' : dirOf(path));
    else this.#paths.add(path);
    this.#counted(isOver);
    this.#notifier.notify();
  }

  /** Adds a directory to list. It is not looked at like a path, so that a new directory tree does not delay other scans. */
  addDir(path: string): void {
    this.#dirs.add(path);
    this.#counted(false);
  }

  /**
   * Removes and returns the directories to list. Leaves out those inside another one: listing that covers them too, and
   * listing each separately would read a deep tree many times.
   */
  takeDirs(): string[] {
    const dirs = outermost(this.#dirs);
    this.#dirs.clear();
    this.#hints = 0;
    return dirs;
  }

  #counted(isOver: boolean): void {
    this.#hints += 1;
    if (isOver || this.#hints >= MANY_HINTS) this.#deps.onMissed();
  }

  async work(): Promise<void> {
    const { handleHint, onHandled } = this.#deps;
    const paths = [...this.#paths];
    this.#paths.clear();
    for (const path of paths) {
      const dir = await handleHint(path);
      if (dir !== null) this.#dirs.add(dir);
      onHandled();
    }
  }

  /** Follows hints while `list` runs. Rejects like `list` or, if that succeeds, with the error of a failed look. */
  async during(list: () => Promise<void>): Promise<void> {
    const over = new AbortController();
    const following = this.#follow(over.signal);
    // Awaited below, after the listing.
    following.catch(() => undefined);
    try {
      await list();
    } finally {
      over.abort();
      await following.catch(() => undefined);
    }
    await following;
  }

  async #follow(over: AbortSignal): Promise<void> {
    while (!over.aborted) {
      if (this.#deps.mayHandle()) await this.work();
      await this.#notifier.wait(this.hasPaths ? ASK_AGAIN_MS : null, over);
    }
  }
}

function outermost(dirs: Iterable<string>): string[] {
  // Sorted so that the contents of a directory directly follow it.
  const found: string[] = [];
  for (const each of [...dirs].map((dir) => (dir === '' ? '' : `${dir}/`)).sort())
    if (found.length === 0 || !each.startsWith(found.at(-1) ?? '')) found.push(each);
  return found.map((dir) => dir.slice(0, -1));
}
