/* oxlint-disable eslint/no-underscore-dangle -- the names are chokidar's */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { FSWatcher } from 'chokidar';
import { systemCode } from '../../domain/errors.ts';

type ReadOptions = Parameters<FSWatcher['_readdirp']>[1];
type ReadStream = ReturnType<FSWatcher['_readdirp']>;

/** Between two readings of a directory: in a burst chokidar asks for one at every event. */
const SHORTEST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 800;

/**
 * chokidar 5 reads a directory again at every event in it, with an lstat of every file, only to find new
 * sub-directories (handler.js, `_handleRead`): a scan every 50 ms into a folder of 50,000 old files kept more than
 * one processor busy. This one tells it of directories only, spends a tenth of the time at most on reading a big
 * directory again, and reads nothing where sub-directories are not watched. It overrides what is not documented:
 * the version is pinned, and the tests hold the behaviour.
 */
export class DirectoryWatcher extends FSWatcher {
  readonly #recursive: boolean;
  readonly #lastRead = new Map<string, { endedAt: number; tookMs: number }>();

  /** `ignored` is asked about directories only. */
  constructor(recursive: boolean, ignored: (path: string) => boolean) {
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
    this.#recursive = recursive;
  }

  override _readdirp(directory: string, options: ReadOptions): ReadStream {
    // Without a stream chokidar reads nothing; there are no sub-directories to look for.
    if (this.closed || !this.#recursive) return undefined;
    const wanted = options?.directoryFilter;
    // Of the stream it uses what every Readable has.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    const stream = Readable.from(
      typeof wanted === 'function' ? this.#directories(directory, wanted) : [],
    ) as unknown as NonNullable<ReadStream>;
    this._streams.add(stream);
    stream.once('close', () => this._streams.delete(stream));
    return stream;
  }

  async *#directories(
    directory: string,
    wanted: (entry: DirectoryEntry) => boolean,
  ): AsyncGenerator<DirectoryEntry> {
    await this.#pause(directory);
    if (this.closed) return;
    const startedAt = performance.now();
    let entries;
    try {
      entries = await readdir(directory, { withFileTypes: true });
    } catch (error) {
      this.#lastRead.delete(directory);
      if (systemCode(error) === undefined) throw error;
      if (error instanceof Error) this._handleError(error);
      return;
    }
    const endedAt = performance.now();
    this.#lastRead.set(directory, { endedAt, tookMs: endedAt - startedAt });
    for (const stats of entries) {
      if (!stats.isDirectory()) continue;
      const entry = { path: stats.name, fullPath: join(directory, stats.name), basename: stats.name, stats };
      if (wanted(entry)) yield entry;
    }
  }

  async #pause(directory: string): Promise<void> {
    const last = this.#lastRead.get(directory);
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
