import type { Clock } from '../../core/ports/clock.ts';
import { dirOf } from '../../core/paths.ts';
import { Notifier } from '../../core/notifier.ts';

/** More hints than this at once: the directories are listed instead. */
const HINTS_AT_ONCE = 1_000;
/** The system drops events without a word once so many wait (16,384 by default): after this many, some may be missing. */
const MANY_HINTS = 4_096;
/** While hints may not be followed, how often that is asked again. */
const ASK_AGAIN_MS = 2_000;

export interface HintQueueDeps {
  readonly clock: Clock;
  /** Looks at one path; resolves the directory that should be listed as well, null where there is none. */
  readonly handleHint: (path: string) => Promise<string | null>;
  readonly onHandled: () => void;
  /** Events may have told, or would have told, of files that nobody looks at. */
  readonly onMissed: () => void;
  /** False while nothing could be done about what is found. */
  readonly mayHandle: () => boolean;
}

/**
 * What events told of one folder: paths that are to be looked at, and directories that are to be listed since events get
 * lost in bursts. Looks may be taken beside a listing, which may last minutes: whatever is found goes the way of what
 * the listing finds, and that finds again what was missed.
 */
export class HintQueue {
  readonly #deps: HintQueueDeps;
  readonly #notifier: Notifier;
  readonly #paths = new Set<string>();
  readonly #dirs = new Set<string>();
  /** Since directories were taken. */
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

  /** Relative to the folder; '' is the folder itself. */
  add(path: string): void {
    const isOver = this.#paths.size >= HINTS_AT_ONCE;
    if (path === '' || isOver) this.#dirs.add(path === '' ? '' : dirOf(path));
    else this.#paths.add(path);
    this.#counted(isOver);
    this.#notifier.notify();
  }

  /** A directory was seen there: it is listed, and scans elsewhere don't wait for a look at each of a whole tree of them. */
  addDir(path: string): void {
    this.#dirs.add(path);
    this.#counted(false);
  }

  /**
   * The directories, which count as listed from now on. None that lies in another of them: it is listed with that one, and
   * listing each by itself would read a tree of nested directories as often as it is deep.
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

  /** Looks at what is hinted at while `list` runs. Rejects as `list` does, or else if a look went wrong. */
  async during(list: () => Promise<void>): Promise<void> {
    const over = new AbortController();
    const following = this.#follow(over.signal);
    // Heard below, once the listing has come to its end.
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
  // Ordered so that everything below a directory comes right after it.
  const found: string[] = [];
  for (const each of [...dirs].map((dir) => (dir === '' ? '' : `${dir}/`)).sort())
    if (found.length === 0 || !each.startsWith(found.at(-1) ?? '')) found.push(each);
  return found.map((dir) => dir.slice(0, -1));
}
