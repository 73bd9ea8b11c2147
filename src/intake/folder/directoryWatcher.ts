/* oxlint-disable eslint/no-underscore-dangle -- the names are chokidar's */
import { readdir } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { FSWatcher } from 'chokidar';
import { systemCode } from '../../core/domain/errors.ts';

type ReadOptions = Parameters<FSWatcher['_readdirp']>[1];
type ReadStream = ReturnType<FSWatcher['_readdirp']>;
type Kept = ReturnType<FSWatcher['_getWatchedDir']>;

/** Between two readings of a directory: in a burst chokidar asks for one at every event. */
const SHORTEST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 800;

/**
 * chokidar 5 reads a directory again at every event in it, with an lstat of every file, only to find new
 * sub-directories (handler.js, `_handleRead`): a scan every 50 ms into a folder of 50,000 old files kept more than
 * one processor busy. This one tells it of directories only, spends a tenth of the time at most on reading a big
 * directory again, and reads nothing where sub-directories are not watched.
 *
 * chokidar 5 also makes an entry at every look at a directory, and never drops that of one that has gone by then:
 * about 1 KB forever for each. An entry that stays can also hide a directory that comes again under the old name.
 * This one forgets at once what is not found, so that reading the parent finds it as a new one.
 *
 * It overrides what is not documented: the version is pinned, and the tests hold the behaviour.
 */
export class DirectoryWatcher extends FSWatcher {
  readonly #root: string;
  readonly #recursive: boolean;
  readonly #lastRead = new WeakMap<Kept, { endedAt: number; tookMs: number }>();

  /** `ignored` is asked about directories only. Nothing is watched before `add(root)`. */
  constructor(root: string, recursive: boolean, ignored: (path: string) => boolean) {
    super({
      ignored: (path, stats) => (stats !== undefined && !stats.isDirectory()) || ignored(path),
      ignoreInitial: true,
      followSymlinks: false,
      // What may not be read is for the listing to tell.
      ignorePermissionErrors: true,
      // Would ignore directories that end in '~'.
      atomic: false,
      ...(!recursive && { depth: 0 }),
    });
    this.#root = root;
    this.#recursive = recursive;
  }

  override add(paths: string | string[], missing?: string): this {
    // Where a path is missing, chokidar would watch its parent once more, forever.
    if (missing === undefined) super.add(paths);
    return this;
  }

  /** Keeps and watches nothing more of a directory and of what is below it, until it is found again. */
  forget(directory: string): void {
    this._remove(dirname(directory), basename(directory));
  }

  /** chokidar's own makes entries of what is gone, and does nothing for 100 ms after the last time. */
  override _remove(directory: string, name: string): void {
    const path = join(directory, name);
    for (const child of this._watched.get(path)?.getChildren() ?? []) this._remove(path, child);
    this._watched.delete(path);
    this._closeFile(path);
    const parent = this._watched.get(directory);
    if (parent?.items.delete(name) === true) void this._emit('unlinkDir', path);
    // One that chokidar made again for a child that it came upon late.
    if (parent?.items.size === 0 && this.#isStray(directory)) this.forget(directory);
  }

  #isStray(directory: string): boolean {
    if (!directory.startsWith(this.#root + sep)) return false;
    return this._watched.get(dirname(directory))?.has(basename(directory)) !== true;
  }

  override _handleError(error: NodeJS.ErrnoException): Error | boolean {
    if ((error.code === 'ENOENT' || error.code === 'ENOTDIR') && error.path !== undefined) {
      // The root may be back under the same watch: whether it is gone for good is for the listener to find out.
      if (error.path === this.#root) void this._emit('unlinkDir', this.#root);
      else this.forget(error.path);
    }
    return super._handleError(error);
  }

  override _readdirp(directory: string, options: ReadOptions): ReadStream {
    // Without a stream chokidar reads nothing; there are no sub-directories to look for.
    if (this.closed || !this.#recursive) return undefined;
    const wanted = options?.directoryFilter;
    // Of the stream it uses what every Readable has.
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
    kept: Kept,
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

  async #pause(kept: Kept): Promise<void> {
    const last = this.#lastRead.get(kept);
    if (last === undefined) return;
    const wanted = Math.min(LONGEST_PAUSE_MS, Math.max(SHORTEST_PAUSE_MS, last.tookMs * 9));
    const pause = wanted - (performance.now() - last.endedAt);
    if (pause > 0) await sleep(pause, undefined, { ref: false });
  }
}

// chokidar asks an entry's `stats` for its kind and nothing else, which the listing knows without an lstat.
interface DirectoryEntry {
  readonly path: string;
  readonly fullPath: string;
  readonly basename: string;
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly stats: any;
}
