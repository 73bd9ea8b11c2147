import { hash } from 'node:crypto';
import { chmod, lstat, opendir, rm, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describeError, ReceiptdError, systemCode, systemError } from '../../core/domain/errors.ts';
import { KeyedTurns } from '../../core/domain/keyedTurns.ts';
import type { Log } from '../../core/ports/log.ts';
import type { BytesReading, Spool } from '../../core/ports/spool.ts';
import { writeDurably } from '../../system/durableFile.ts';
import { makeDirectory } from '../../system/makeDirectory.ts';
import { NotAFile, openPlainFile } from '../../system/plainFile.ts';

export interface SpoolOptions {
  /** Absolute; created if missing. Only one process may use it at a time. */
  readonly dir: string;
  readonly limitBytes: number;
  /** Logs damaged copies. */
  readonly log?: Log;
}

const COPY_NAME = /^[0-9a-f]{64}$/;
/** A file that a crash left behind, complete or not; `.new` was the name in earlier versions. */
const UNFINISHED_NAME = /^(?:[0-9a-f]{64}\.tmp|\.[0-9a-f]{64}\.new)$/;
const FAN_OUT_NAME = /^[0-9a-f]{2}$/;
/** There is no regular file, but a link or a directory, or nothing. */
const NO_COPY = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO', 'EISDIR']);

/**
 * If the directory can't be created or listed, the spool stays closed for now: `put`, `read` and `remove` retry, and reject with
 * SPOOL_UNWRITABLE until that works. Its copies are unknown until then, but not lost.
 */
export async function openSpool(options: SpoolOptions): Promise<Spool> {
  const spool = new DirectorySpool(options);
  await spool.open().catch((error: unknown) => {
    if (!(error instanceof ReceiptdError)) throw error;
    options.log?.error('spoolNotOpened', describeError(error));
  });
  return spool;
}

/**
 * Each copy is a file named by its hash, in a directory named by its first two digits:
 *
 *   absent ──put: room is reserved──▶ being written aside ──synced, renamed──▶ there ──remove, or found damaged──▶ absent
 *                                            └────── the disk fails ──────▶ absent
 *
 * Operations on one hash run one after the other. Anything that is not a regular file of that name is left alone: the agent did
 * not create it.
 */
class DirectorySpool implements Spool {
  readonly limitBytes: number;
  readonly #dir: string;
  readonly #log: Log | undefined;
  readonly #sizes = new Map<string, number>();
  #opened: Promise<void> | null = null;
  #isOpen = false;
  readonly #turns = new KeyedTurns();
  #used = 0;
  #reserved = 0;

  constructor({ dir, limitBytes, log }: SpoolOptions) {
    this.#dir = dir;
    this.limitBytes = limitBytes;
    this.#log = log;
  }

  open(): Promise<void> {
    this.#opened ??= this.#open().catch((error: unknown) => {
      this.#opened = null;
      throw this.#failure(error, 'use');
    });
    return this.#opened;
  }

  get usedBytes(): number {
    return this.#used;
  }

  has(sha256: string): boolean {
    return this.#sizes.has(sha256);
  }

  fits(bytes: number): boolean {
    return this.#used + this.#reserved + bytes <= this.limitBytes;
  }

  hashes(): readonly string[] {
    return [...this.#sizes.keys()];
  }

  put(sha256: string, bytes: Buffer): Promise<boolean> {
    return this.#inTurn(sha256, 'write', async (path) => {
      if (this.#sizes.has(sha256)) return true;
      if (!this.fits(bytes.length)) return false;
      this.#reserved += bytes.length;
      try {
        await this.#write(path, bytes);
        this.#add(sha256, bytes.length);
        return true;
      } finally {
        this.#reserved -= bytes.length;
      }
    });
  }

  read(sha256: string, reading?: BytesReading): Promise<Buffer | null> {
    return this.#inTurn(sha256, 'read', async (path) => {
      const size = this.#sizes.get(sha256);
      if (size === undefined) return null;
      const bytes = await readCopy(path, size, reading);
      if (bytes !== null) {
        const found = await (reading?.hash(bytes) ?? hash('sha256', bytes, 'hex'));
        if (found === sha256) return bytes;
        reading?.buffers.giveBack(bytes);
      }
      this.#log?.warn('copyDamaged', { dir: this.#dir, sha256 });
      await this.#remove(sha256, path);
      return null;
    });
  }

  async remove(sha256: string): Promise<void> {
    await this.#inTurn(sha256, 'clear', (path) => this.#remove(sha256, path));
  }

  /** Makes the directory, or an existing one private, and lists the copies. Removes what a crash left unfinished. */
  async #open(): Promise<void> {
    await makeDirectory(this.#dir, 0o700);
    const stats = await lstat(this.#dir);
    if (!stats.isDirectory()) throw systemError('ENOTDIR', this.#dir);
    if ((stats.mode & 0o077) !== 0) await chmod(this.#dir, 0o700);
    const copies: [string, number][] = [];
    for await (const fanOut of await opendir(this.#dir)) {
      if (!fanOut.isDirectory() || !FAN_OUT_NAME.test(fanOut.name)) continue;
      const below = join(this.#dir, fanOut.name);
      for await (const entry of (await opendir(below).catch(absent)) ?? []) {
        if (!entry.isFile() || !entry.name.replace('.', '').startsWith(fanOut.name)) continue;
        const path = join(below, entry.name);
        if (UNFINISHED_NAME.test(entry.name)) await unlink(path);
        else if (COPY_NAME.test(entry.name)) copies.push([entry.name, (await lstat(path)).size]);
      }
    }
    for (const copy of copies) this.#add(...copy);
    this.#isOpen = true;
  }

  /** Durable when it resolves; leaves nothing behind if it fails. */
  async #write(path: string, bytes: Buffer): Promise<void> {
    const below = dirname(path);
    await makeDirectory(below, 0o700);
    if (!(await lstat(below)).isDirectory()) throw systemError('ENOTDIR', below);
    if ((await lstat(path).catch(absent))?.isFile() === false) throw systemError('EEXIST', path);
    try {
      await writeDurably(path, bytes);
    } catch (error) {
      await rm(path, { force: true }).catch(() => {});
      throw error;
    }
  }

  #add(sha256: string, size: number): void {
    this.#sizes.set(sha256, size);
    this.#used += size;
  }

  async #remove(sha256: string, path: string): Promise<void> {
    const size = this.#sizes.get(sha256);
    if (size === undefined) return;
    try {
      const isOurs = (await lstat(dirname(path)).catch(absent))?.isDirectory() ?? false;
      if (isOurs && (await lstat(path).catch(absent))?.isFile()) await unlink(path).catch(absent);
    } catch (error) {
      throw this.#failure(error, 'clear');
    }
    this.#sizes.delete(sha256);
    this.#used -= size;
  }

  /** Starts synchronously if no other operation on this hash is running, so that room is reserved before the caller goes on. */
  async #inTurn<T>(sha256: string, doing: Doing, work: (path: string) => Promise<T>): Promise<T> {
    // The hash becomes part of a path.
    if (!COPY_NAME.test(sha256)) throw new Error(`not a hash: ${sha256}`);
    if (!this.#isOpen) await this.open();
    try {
      return await this.#turns.run(sha256, () => work(join(this.#dir, sha256.slice(0, 2), sha256)));
    } catch (error) {
      throw this.#failure(error, doing);
    }
  }

  #failure(error: unknown, doing: Doing): unknown {
    const system = systemCode(error);
    if (error instanceof ReceiptdError || system === undefined) return error;
    const isFull = system === 'ENOSPC' || system === 'EDQUOT';
    const params = { dir: this.#dir, doing, system, isFull };
    return new ReceiptdError('SPOOL_UNWRITABLE.spool', params, { cause: error });
  }
}

type Doing = 'use' | 'write' | 'read' | 'clear';

/** Null without a regular file of that size. */
async function readCopy(path: string, size: number, reading?: BytesReading): Promise<Buffer | null> {
  const take = (length: number): Buffer => reading?.buffers.take(length) ?? Buffer.allocUnsafeSlow(length);
  try {
    // The last segment of a path is not followed if it is a link; those before it would be.
    if (!(await lstat(dirname(path))).isDirectory()) return null;
    const read = (await reading?.readBeside?.(path, size, take)) ?? null;
    if (read?.kind === 'unreadable') throw systemError(read.code, path);
    if (read !== null) return read.kind === 'bytes' ? read.bytes : null;
    const handle = await openPlainFile(path, { followsLinks: false });
    try {
      if ((await handle.stat()).size !== size) return null;
      const bytes = take(size);
      const { bytesRead } = await handle.read(bytes, 0, size, 0);
      if (bytesRead === size) return bytes;
      reading?.buffers.giveBack(bytes);
      return null;
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (error instanceof NotAFile || NO_COPY.has(systemCode(error) ?? '')) return null;
    throw error;
  }
}

/** For `catch`: null if the file is missing. @throws any other error */
function absent(error: unknown): null {
  if (systemCode(error) === 'ENOENT') return null;
  throw error;
}
