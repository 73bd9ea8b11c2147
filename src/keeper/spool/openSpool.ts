import { createHash } from 'node:crypto';
import { describeError, ReceiptdError, systemCode } from '../../core/domain/errors.ts';
import { KeyedTurns } from '../../core/domain/keyedTurns.ts';
import type { Log } from '../../core/ports/log.ts';
import type { Spool } from '../../core/ports/spool.ts';
import { isHash, listCopies, prepareDirectory, readCopy, removeCopy, writeCopy } from './copyFiles.ts';

export interface SpoolOptions {
  /** Absolute; created if missing. Only one process may use it at a time. */
  readonly dir: string;
  readonly limitBytes: number;
  /** Logs damaged copies. */
  readonly log?: Log;
}

/**
 * If the directory can't be created or listed, the spool stays closed for now: `put`, `read` and `remove` retry, and reject with
 * SPOOL_UNWRITABLE until that works. Its copies are unknown until then, but not lost.
 */
export async function openSpool({ dir, limitBytes, log }: SpoolOptions): Promise<Spool> {
  const spool = new DirectorySpool(dir, limitBytes, log);
  await spool.open().catch((error: unknown) => {
    if (!(error instanceof ReceiptdError)) throw error;
    log?.error('spoolNotOpened', describeError(error));
  });
  return spool;
}

/**
 * Each copy is a file named by its hash:
 *
 *   absent ──put: room is reserved──▶ being written aside ──synced, renamed──▶ there ──remove, or found damaged──▶ absent
 *                                            └────── the disk fails ──────▶ absent
 *
 * Operations on one hash run one after the other.
 */
class DirectorySpool implements Spool {
  readonly limitBytes: number;
  readonly #dir: string;
  readonly #log: Log | undefined;
  readonly #copies = new Map<string, number>();
  #opened: Promise<void> | null = null;
  #isOpen = false;
  readonly #turns = new KeyedTurns();
  #used = 0;
  #reserved = 0;

  constructor(dir: string, limitBytes: number, log: Log | undefined) {
    this.#dir = dir;
    this.limitBytes = limitBytes;
    this.#log = log;
  }

  open(): Promise<void> {
    this.#opened ??= this.#open().catch((error: unknown) => {
      this.#opened = null;
      throw spoolFailure(error, this.#dir, 'use');
    });
    return this.#opened;
  }

  async #open(): Promise<void> {
    await prepareDirectory(this.#dir);
    for (const [sha256, size] of await listCopies(this.#dir)) {
      this.#copies.set(sha256, size);
      this.#used += size;
    }
    this.#isOpen = true;
  }

  get usedBytes(): number {
    return this.#used;
  }

  has(sha256: string): boolean {
    return this.#copies.has(sha256);
  }

  fits(bytes: number): boolean {
    return this.#used + this.#reserved + bytes <= this.limitBytes;
  }

  hashes(): readonly string[] {
    return [...this.#copies.keys()];
  }

  async put(sha256: string, bytes: Buffer): Promise<boolean> {
    return this.#inTurn(sha256, async () => {
      if (this.#copies.has(sha256)) return true;
      if (!this.fits(bytes.length)) return false;
      this.#reserved += bytes.length;
      try {
        await writeCopy(this.#dir, sha256, bytes);
        this.#copies.set(sha256, bytes.length);
        this.#used += bytes.length;
        return true;
      } catch (error) {
        throw spoolFailure(error, this.#dir, 'write');
      } finally {
        this.#reserved -= bytes.length;
      }
    });
  }

  async read(sha256: string): Promise<Buffer | null> {
    return this.#inTurn(sha256, async () => {
      const size = this.#copies.get(sha256);
      if (size === undefined) return null;
      let bytes: Buffer | null;
      try {
        bytes = await readCopy(this.#dir, sha256, size);
      } catch (error) {
        throw spoolFailure(error, this.#dir, 'read');
      }
      if (bytes && createHash('sha256').update(bytes).digest('hex') === sha256) return bytes;
      this.#log?.warn('copyDamaged', {
        dir: this.#dir,
        sha256,
      });
      await this.#remove(sha256);
      return null;
    });
  }

  async remove(sha256: string): Promise<void> {
    await this.#inTurn(sha256, () => this.#remove(sha256));
  }

  async #remove(sha256: string): Promise<void> {
    const size = this.#copies.get(sha256);
    if (size === undefined) return;
    try {
      await removeCopy(this.#dir, sha256);
    } catch (error) {
      throw spoolFailure(error, this.#dir, 'clear');
    }
    this.#copies.delete(sha256);
    this.#used -= size;
  }

  /** Starts synchronously if no other operation on this hash is running, so that room is reserved before the caller goes on. */
  async #inTurn<T>(sha256: string, work: () => Promise<T>): Promise<T> {
    // The hash becomes part of a path.
    if (!isHash(sha256)) throw new Error(`not a hash: ${sha256}`);
    if (!this.#isOpen) await this.open();
    return this.#turns.run(sha256, work);
  }
}

function spoolFailure(error: unknown, dir: string, doing: 'use' | 'write' | 'read' | 'clear'): ReceiptdError {
  if (error instanceof ReceiptdError) return error;
  const system = systemCode(error);
  if (system === undefined) throw error;
  const isFull = system === 'ENOSPC' || system === 'EDQUOT';
  return new ReceiptdError('SPOOL_UNWRITABLE.spool', { dir, doing, system, isFull }, { cause: error });
}
