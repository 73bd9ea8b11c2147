import { describeError, ReceiptdError, systemCode } from '../core/domain/errors.ts';
import type { FolderSettings } from '../core/domain/settings.ts';
import { dirOf, nameOf, relativeTo } from '../core/paths.ts';
import type { Clock } from '../core/ports/clock.ts';
import type { FolderHints } from '../core/ports/folder.ts';
import type { Incidents } from '../core/ports/incident.ts';
import type { Log } from '../core/ports/log.ts';

/** Retry interval after events failed; if the cause is a system limit, it may have been raised meanwhile. */
const WATCH_AGAIN_MS = 5 * 60_000;
/** Cap on names to look at; beyond it, their directories are listed instead. */
const NAMES_AT_ONCE = 1_000;
/** Events after which some may have been lost: the system silently drops events if its queue is full (16,384 by default). */
const MANY_EVENTS = 4_096;

export interface ChangesDeps {
  readonly hints: FolderHints;
  readonly settings: Pick<FolderSettings, 'path' | 'recursive'>;
  readonly watchLimit: WatchLimit;
  readonly clock: Clock;
  readonly log: Log;
  /** Something may have changed. */
  readonly onChange: () => void;
  /** Changes may have been lost. */
  readonly onLost: () => void;
}

/**
 * What events say may have changed in one folder: names to look at, and directories to list.
 *
 *   none ──begin──▶ heard ──limit, error──▶ missed ──every 5 minutes, if that works──▶ heard
 *     ▲               └──────────end──────────┘
 *
 * Shares, and folders configured for polling, have no events. While events are missed, the folder has to be polled.
 */
export class Changes {
  readonly #deps: ChangesDeps;
  #watch: { close(): Promise<void> } | null = null;
  #state: 'none' | 'heard' | 'missed' = 'none';
  #begunAt = 0;
  /** The failure was logged; not repeated until events work again. */
  #isSaid = false;
  /** Names by their directory. */
  #names = new Map<string, Set<string>>();
  #count = 0;
  readonly #dirs = new Set<string>();
  /** Events since `takeDirs`. */
  #events = 0;

  constructor(deps: ChangesDeps) {
    this.#deps = deps;
  }

  get areMissed(): boolean {
    return this.#state === 'missed';
  }

  get hasNames(): boolean {
    return this.#count > 0;
  }

  get hasDirs(): boolean {
    return this.#dirs.size > 0;
  }

  async begin(): Promise<void> {
    const { settings, hints, watchLimit, clock } = this.#deps;
    this.#begunAt = clock.monotonic();
    this.#state = 'heard';
    const missed = (error: unknown): null => {
      this.#state = 'missed';
      this.#say(error);
      return null;
    };
    const heard = (absolute: string, isDirectory?: boolean): void => this.#heard(absolute, isDirectory);
    this.#watch = await hints.watch(settings.path, settings.recursive, heard, missed).catch(missed);
    if (this.areMissed) return;
    this.#isSaid = false;
    watchLimit.over(settings.path);
  }

  /** Watches again if events are missed and the retry interval is over. True if it tried. */
  async tryAgain(): Promise<boolean> {
    const isDue = this.#deps.clock.monotonic() >= this.#begunAt + WATCH_AGAIN_MS;
    if (this.#state !== 'missed' || !isDue) return false;
    await this.#watch?.close();
    await this.begin();
    return true;
  }

  async end(): Promise<void> {
    this.#state = 'none';
    await this.#watch?.close();
    this.#watch = null;
  }

  /** Adds a path, relative to the folder; '' is the folder itself. */
  add(path: string): void {
    const isOver = this.#count >= NAMES_AT_ONCE;
    const dir = path === '' ? '' : dirOf(path);
    if (path === '' || isOver) this.#dirs.add(dir);
    else {
      const names = this.#names.get(dir) ?? new Set();
      this.#names.set(dir, names);
      if (!names.has(nameOf(path))) this.#count += 1;
      names.add(nameOf(path));
    }
    this.#counted(isOver);
  }

  /** Adds a directory to list. It is not looked at like a name, so that a new directory tree does not delay other scans. */
  addDir(path: string): void {
    this.#dirs.add(path);
    this.#counted(false);
  }

  /** Adds a directory to list besides names in it that were looked at. */
  alsoList(dir: string): void {
    this.#dirs.add(dir);
  }

  /** Removes and returns the names to look at, by directory. */
  takeNames(): ReadonlyMap<string, ReadonlySet<string>> {
    const names = this.#names;
    this.#names = new Map();
    this.#count = 0;
    return names;
  }

  /**
   * Removes and returns the directories to list. Leaves out those inside another one: listing that covers them too, and
   * listing each separately would read a deep tree many times.
   */
  takeDirs(): string[] {
    const dirs = outermost(this.#dirs);
    this.#dirs.clear();
    this.#events = 0;
    return dirs;
  }

  #heard(absolute: string, isDirectory = false): void {
    const { path: folder, recursive } = this.#deps.settings;
    const path = absolute === folder ? '' : relativeTo(folder, absolute);
    if (path === null) return;
    if (isDirectory && recursive) this.addDir(path);
    else this.add(path);
  }

  #counted(isOver: boolean): void {
    this.#events += 1;
    if (isOver || this.#events >= MANY_EVENTS) this.#deps.onLost();
    this.#deps.onChange();
  }

  #say(error: unknown): void {
    const { settings, watchLimit, log } = this.#deps;
    const fields = { folder: settings.path, ...describeError(error) };
    // The absence of the folder is reported elsewhere.
    if (watchLimit.reached(settings.path, error) || fields.code === 'FOLDER_MISSING') {
      log.debug('noFolderEvents', fields);
    } else if (!this.#isSaid) {
      this.#isSaid = true;
      log.error('folderEventsUnreliable', fields);
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
