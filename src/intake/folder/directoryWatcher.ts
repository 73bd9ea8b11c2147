/* oxlint-disable eslint/no-underscore-dangle -- the names are chokidar's */
import { readdir } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { FSWatcher } from 'chokidar';
import { systemCode } from '../../core/domain/errors.ts';

type WatchReadOptions = Parameters<FSWatcher['_readdirp']>[1];
type ReadStream = ReturnType<FSWatcher['_readdirp']>;
type WatchedDirectory = ReturnType<FSWatcher['_getWatchedDir']>;

/** Limits of the pause between two reads of a directory; in a burst, chokidar requests one per event. */
const SHORTEST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 800;

/**
 * chokidar 5 rereads a directory at every event in it, with an lstat of every file, only to find new subdirectories
 * (handler.js, `_handleRead`): a scan every 50 ms into a folder of 50,000 old files kept more than one processor busy.
 * This class passes on only directories, pauses between reads for nine times as long as the last one took (100 to 800 ms),
 * and reads nothing if subdirectories are not watched.
 *
 * chokidar 5 also creates an entry whenever it looks at a directory, and never drops the entry of one that is gone by then,
 * which leaks about 1 KB each. A leftover entry can also hide a directory that is recreated under the old name. This class
 * drops the entries of missing directories at once, so that reading the parent finds them as new.
 *
 * It overrides undocumented methods: the version is pinned, and tests check the behavior.
 */
export class DirectoryWatcher extends FSWatcher {
  readonly #root: string;
  readonly #recursive: boolean;
  readonly #lastRead = new WeakMap<WatchedDirectory, { endedAt: number; tookMs: number }>();

  /** `ignored` is asked about directories only. Nothing is watched before `add(root)`. */
  constructor(root: string, recursive: boolean, ignored: (path: string) => boolean) {
    super({
      ignored: (path, stats) => (stats !== undefined && !stats.isDirectory()) || ignored(path),
      ignoreInitial: true,
      followSymlinks: false,
      // The listing reports unreadable directories.
      ignorePermissionErrors: true,
      // `true` would ignore directories whose name ends in '~'.
      atomic: false,
      ...(!recursive && { depth: 0 }),
    });
    this.#root = root;
    this.#recursive = recursive;
  }

  override add(paths: string | string[], missing?: string): this {
    // For a missing path, chokidar adds its parent once more, and would watch it forever.
    if (missing === undefined) super.add(paths);
    return this;
  }

  /** Stops watching a directory and everything in it, and drops their entries, until it is found again. */
  forget(directory: string): void {
    this._remove(dirname(directory), basename(directory));
  }

  /** chokidar's version creates entries for missing paths, and ignores a repeated call within 100 ms. */
  override _remove(directory: string, name: string): void {
    const path = join(directory, name);
    for (const child of this._watched.get(path)?.getChildren() ?? []) this._remove(path, child);
    this._watched.delete(path);
    this._closeFile(path);
    const parent = this._watched.get(directory);
    if (parent?.items.delete(name) === true) void this._emit('unlinkDir', path);
    // An entry that chokidar recreated for a child that it processed late.
    if (parent?.items.size === 0 && this.#isStray(directory)) this.forget(directory);
  }

  #isStray(directory: string): boolean {
    if (!directory.startsWith(this.#root + sep)) return false;
    return this._watched.get(dirname(directory))?.has(basename(directory)) !== true;
  }

  override _handleError(error: NodeJS.ErrnoException): Error | boolean {
    if ((error.code === 'ENOENT' || error.code === 'ENOTDIR') && error.path !== undefined) {
      // The root may exist again under the same watch; the listener checks whether it is gone for good.
      if (error.path === this.#root) void this._emit('unlinkDir', this.#root);
      else this.forget(error.path);
    }
    return super._handleError(error);
  }

  override _readdirp(directory: string, options: WatchReadOptions): ReadStream {
    // Without a stream chokidar reads nothing, and there are no subdirectories to find.
    if (this.closed || !this.#recursive) return undefined;
    const wanted = options?.directoryFilter;
    // chokidar uses only what every Readable has.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    const stream = Readable.from(
      typeof wanted === 'function'
        ? this.#directories(directory, this._getWatchedDir(directory), wanted)
        : [],
    ) as unknown as NonNullable<ReadStream>;
    this._streams.add(stream);
    stream.once('close', () => this._streams.delete(stream));
    return stream;
  }

  async *#directories(
    directory: string,
    kept: WatchedDirectory,
    wanted: (entry: DirectoryEntry) => boolean,
  ): AsyncGenerator<DirectoryEntry> {
    await this.#pause(kept);
    if (this.closed) return;
    const startedAt = performance.now();
    let entries;
    try {
      entries = await readdir(directory, { withFileTypes: true });
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      if (error instanceof Error) this._handleError(error);
      return;
    }
    const endedAt = performance.now();
    this.#lastRead.set(kept, { endedAt, tookMs: endedAt - startedAt });
    for (const stats of entries) {
      if (!stats.isDirectory()) continue;
      const entry = { path: stats.name, fullPath: join(directory, stats.name), basename: stats.name, stats };
      if (wanted(entry)) yield entry;
    }
  }

  async #pause(kept: WatchedDirectory): Promise<void> {
    const last = this.#lastRead.get(kept);
    if (last === undefined) return;
    const wanted = Math.min(LONGEST_PAUSE_MS, Math.max(SHORTEST_PAUSE_MS, last.tookMs * 9));
    const pause = wanted - (performance.now() - last.endedAt);
    if (pause > 0) await sleep(pause, undefined, { ref: false });
  }
}

// chokidar reads only the kind from an entry's `stats`, which `readdir` knows without an lstat.
interface DirectoryEntry {
  readonly path: string;
  readonly fullPath: string;
  readonly basename: string;
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly stats: any;
}
