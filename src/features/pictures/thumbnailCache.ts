import { constants } from 'node:fs';
import { lstat, open, readdir, rm, unlink, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import PQueue from 'p-queue';
import { systemCode } from '../../core/domain/errors.ts';
import { isWholeWebp } from '../../core/domain/webp.ts';
import type { Clock } from '../../core/ports/clock.ts';
import { writeDurably } from '../../system/durableFile.ts';
import { makeDirectory } from '../../system/makeDirectory.ts';

export interface CacheOptions {
  /** Absolute; created with the first thumbnail. */
  readonly dir: string;
  /** Limit for all files together. 0: nothing is stored, and existing files are removed. */
  readonly limitBytes: number;
  readonly clock: Clock;
}

interface CachedThumbnail {
  readonly size: number;
  /** Time of last use, from the file's mtime. */
  readonly usedAt: number;
}

const NAME = /^([0-9a-f]{64})\.webp$/;
const ASIDE = /^[0-9a-f]{64}\.webp\.tmp$/;
/** Precision with which files record their last use. */
const NOTED_EVERY_MS = 60 * 60_000;
const READ_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Thumbnails in files, named by the hash of their image:
 *
 *   absent ──put: others make room, written aside, synced, renamed──▶ there ──unused for the longest, forgotten, or not whole──▶ absent
 *
 * The directory is listed on first use. Operations run one after the other.
 */
export class ThumbnailCache {
  readonly #dir: string;
  readonly #clock: Clock;
  #limit: number;
  /** Least recently used first; null if not listed yet. */
  #kept: Map<string, CachedThumbnail> | null = null;
  #used = 0;
  readonly #queue = new PQueue({ concurrency: 1 });

  constructor({ dir, limitBytes, clock }: CacheOptions) {
    this.#dir = dir;
    this.#limit = limitBytes;
    this.#clock = clock;
  }

  get limitBytes(): number {
    return this.#limit;
  }

  /** Applies another limit at once. @throws errors of the file system */
  async take(limitBytes: number): Promise<void> {
    this.#limit = limitBytes;
    await this.#queue.add(async () => {
      await this.#inPassing((kept) => this.#makeRoom(kept, 0));
    });
  }

  /** Hashes of all images with a thumbnail. @throws errors of the file system */
  hashes(): Promise<readonly string[]> {
    return this.#queue.add(() => this.#inPassing(async (kept) => [...kept.keys()]));
  }

  /** Null if missing or incomplete. @throws errors of the file system */
  async read(sha256: string): Promise<Buffer | null> {
    return this.#queue.add(async () => {
      const kept = await this.#list();
      const known = kept.get(sha256);
      if (known === undefined) return null;
      const bytes = await readFile(this.#pathOf(sha256), known.size);
      if (bytes === null || !isWholeWebp(bytes)) {
        await this.#drop(kept, sha256);
        return null;
      }
      await this.#note(kept, sha256, known);
      return bytes;
    });
  }

  /** A thumbnail larger than the limit is not stored. @throws errors of the file system */
  async put(sha256: string, bytes: Buffer): Promise<void> {
    await this.#queue.add(async () => {
      if (bytes.length > this.#limit) return;
      const kept = await this.#list();
      await this.#drop(kept, sha256);
      await this.#makeRoom(kept, bytes.length);
      try {
        await makeDirectory(this.#dir, 0o700);
        await writeDurably(this.#pathOf(sha256), bytes);
      } catch (error) {
        // The file may exist nevertheless, so list again.
        this.#kept = null;
        throw error;
      }
      kept.set(sha256, { size: bytes.length, usedAt: this.#clock.now() });
      this.#used += bytes.length;
    });
  }

  /** Idempotent; needs no listing. @throws errors of the file system */
  async forget(sha256: string): Promise<void> {
    await this.#queue.add(async () => {
      await removeFile(`${this.#pathOf(sha256)}.tmp`);
      if (this.#kept === null) await removeFile(this.#pathOf(sha256));
      else await this.#drop(this.#kept, sha256);
    });
  }

  async #list(): Promise<Map<string, CachedThumbnail>> {
    if (this.#kept !== null) return this.#kept;
    const found: [string, CachedThumbnail][] = [];
    for (const name of await readdir(this.#dir).catch(none)) {
      const path = join(this.#dir, name);
      if (ASIDE.test(name)) await rm(path, { force: true });
      const sha256 = NAME.exec(name)?.[1];
      const stats = sha256 === undefined ? null : await lstat(path).catch(absent);
      if (sha256 !== undefined && stats?.isFile())
        found.push([sha256, { size: stats.size, usedAt: stats.mtimeMs }]);
    }
    const kept = new Map(found.sort(([, a], [, b]) => a.usedAt - b.usedAt));
    this.#used = found.reduce((sum, [, { size }]) => sum + size, 0);
    await this.#makeRoom(kept, 0);
    this.#kept = kept;
    return kept;
  }

  /** Drops the list afterwards if it was not loaded before, so that it takes no memory while nobody uses the console. */
  async #inPassing<T>(work: (kept: Map<string, CachedThumbnail>) => Promise<T>): Promise<T> {
    const isInUse = this.#kept !== null;
    const done = await work(await this.#list());
    if (!isInUse) this.#kept = null;
    return done;
  }

  async #makeRoom(kept: Map<string, CachedThumbnail>, bytes: number): Promise<void> {
    for (const oldest of kept.keys()) {
      if (this.#used + bytes <= this.#limit) return;
      await this.#drop(kept, oldest);
    }
  }

  async #drop(kept: Map<string, CachedThumbnail>, sha256: string): Promise<void> {
    const known = kept.get(sha256);
    if (known === undefined) return;
    await removeFile(this.#pathOf(sha256));
    kept.delete(sha256);
    this.#used -= known.size;
  }

  async #note(kept: Map<string, CachedThumbnail>, sha256: string, known: CachedThumbnail): Promise<void> {
    const now = this.#clock.now();
    const isStale = Math.abs(now - known.usedAt) > NOTED_EVERY_MS;
    // If the file system forbids it, the order is lost at the next start.
    if (isStale) await utimes(this.#pathOf(sha256), now / 1_000, now / 1_000).catch(() => {});
    kept.delete(sha256);
    kept.set(sha256, isStale ? { ...known, usedAt: now } : known);
  }

  #pathOf(sha256: string): string {
    // The hash becomes part of a path.
    if (!NAME.test(`${sha256}.webp`)) throw new Error(`not a hash: ${sha256}`);
    return join(this.#dir, `${sha256}.webp`);
  }
}

/** Null if the file is missing or its size has changed. */
async function readFile(path: string, size: number): Promise<Buffer | null> {
  try {
    const handle = await open(path, READ_FLAGS);
    try {
      const stats = await handle.stat();
      return stats.isFile() && stats.size === size ? await handle.readFile() : null;
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO', 'EISDIR'].includes(systemCode(error) ?? '')) return null;
    throw error;
  }
}

/** Leaves anything that is not a regular file, because the agent did not create it. */
async function removeFile(path: string): Promise<void> {
  if ((await lstat(path).catch(absent))?.isFile()) await unlink(path).catch(absent);
}

function absent(error: unknown): null {
  if (['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '')) return null;
  throw error;
}

function none(error: unknown): string[] {
  return absent(error) ?? [];
}
