import { copyFile, open, readFile, rename, unlink, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ReceiptdError, systemCode } from '../../core/domain/errors.ts';
import { whileHeld } from '../../core/domain/heldFile.ts';
import type { Log } from '../../core/ports/log.ts';
import type { DeferredImage, DeferredJournal } from '../../core/ports/deferredJournal.ts';
import { absent } from './copyFiles.ts';
import { deferredLine, admittedLine, keyOf, readLines } from './deferredLine.ts';
import { syncDirectory } from '../../system/syncDirectory.ts';

/** The journal is rewritten if it has more lines than this and most are obsolete. */
const REWRITE_AFTER = 5_000;

export interface DeferredJournalOptions {
  /** Absolute. Only one process may use it at a time. */
  readonly path: string;
  readonly log: Log;
}

/**
 * Opens the journal with the entries of earlier processes. Cuts off a last line that a crash left incomplete.
 * @throws ReceiptdError STATE_UNWRITABLE, DISK_FULL
 */
export async function openDeferredJournal({ path, log }: DeferredJournalOptions): Promise<DeferredJournal> {
  try {
    const journal = new DeferredJournalFile(path);
    const { damaged } = await journal.load();
    if (damaged > 0) {
      log.error('deferredJournalDamaged', {
        path,
        lines: damaged,
        kept: `${path}.damaged`,
      });
    }
    return journal;
  } catch (error) {
    throw failure(error, path, false);
  }
}

interface Write {
  readonly line: string;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/**
 * The file is
 *
 *   absent ──first entry──▶ appended to ──all admitted──▶ empty ──▶ ...
 *                              └──a write or a sync failed──▶ doubtful ──next write: recreated, renamed──▶ appended to
 *
 * Lines queued during a sync share the next one.
 */
class DeferredJournalFile implements DeferredJournal {
  readonly #path: string;
  /** In the order in which they were deferred; only entries that are durable. */
  readonly #waiting = new Map<string, DeferredImage>();
  /** Number of waiting images by hash. */
  readonly #hashes = new Map<string, number>();
  readonly #underWay = new Map<string, Promise<void>>();
  #handle: FileHandle | null = null;
  #size = 0;
  #lines = 0;
  #isDoubtful = false;
  #queue: Write[] = [];
  #flushing: Promise<void> | null = null;

  constructor(path: string) {
    this.#path = path;
  }

  async load(): Promise<{ damaged: number }> {
    const bytes = await readFile(this.#path).catch(absent);
    const { entries, length, damaged } = readLines(bytes ?? Buffer.alloc(0));
    for (const { kind, image } of entries) this.#apply(kind, image);
    this.#lines = entries.length;
    this.#size = length;
    this.#isDoubtful = bytes !== null && (bytes.length > length || this.#lines > this.#waiting.size);
    if (damaged > 0) await copyFile(this.#path, `${this.#path}.damaged`).catch(() => {});
    // Removes torn and obsolete lines now, or else with the next write.
    if (this.#isDoubtful) await this.#begin().catch(() => {});
    return { damaged };
  }

  async defer(image: DeferredImage): Promise<void> {
    const key = keyOf(image);
    if (this.#waiting.has(key)) return;
    const before = this.#underWay.get(key);
    if (before) return before;
    const write = this.#append(deferredLine(image)).then(() => this.#apply('deferred', image));
    this.#underWay.set(key, write);
    try {
      await write;
    } finally {
      this.#underWay.delete(key);
    }
  }

  waiting(): readonly DeferredImage[] {
    return [...this.#waiting.values()];
  }

  needs(sha256: string): boolean {
    return this.#hashes.has(sha256);
  }

  async admitted(image: DeferredImage): Promise<void> {
    const known = this.#waiting.get(keyOf(image));
    if (!known) return;
    // Stays in memory until the line is durable, because its copy may still be needed until then.
    await this.#append(admittedLine(image));
    if (this.#waiting.get(keyOf(image)) === known) this.#apply('admitted', known);
  }

  async close(): Promise<void> {
    while (this.#flushing) await this.#flushing;
    if (this.#waiting.size === 0 && this.#size > 0) await this.#empty().catch(() => {});
    await this.#handle?.close();
    this.#handle = null;
  }

  #apply(kind: 'deferred' | 'admitted', image: DeferredImage): void {
    const key = keyOf(image);
    const { sha256 } = image;
    const count = this.#hashes.get(sha256) ?? 0;
    if (kind === 'deferred') {
      if (this.#waiting.has(key)) return;
      this.#waiting.set(key, image);
      this.#hashes.set(sha256, count + 1);
    } else if (this.#waiting.delete(key)) {
      if (count > 1) this.#hashes.set(sha256, count - 1);
      else this.#hashes.delete(sha256);
    }
  }

  #append(line: string): Promise<void> {
    return new Promise((done, failed) => {
      this.#queue.push({ line, done, failed });
      this.#flushing ??= this.#flush();
    });
  }

  async #flush(): Promise<void> {
    // Lets writes requested in the same tick go together.
    await Promise.resolve();
    while (this.#queue.length > 0) {
      const writes = this.#queue;
      this.#queue = [];
      try {
        await this.#write(writes.map(({ line }) => line));
        for (const { done } of writes) done();
      } catch (error) {
        const failed = failure(error, this.#path, true);
        for (const each of writes) each.failed(failed);
      }
      // Lets the callers update their state first.
      await Promise.resolve();
      await Promise.resolve();
      if (this.#queue.length === 0 && this.#waiting.size === 0 && this.#underWay.size === 0)
        await this.#empty().catch(() => {});
    }
    // Synchronously, so that the next caller starts a new flush.
    this.#flushing = null;
  }

  async #write(lines: readonly string[]): Promise<void> {
    const isMostlyDone = this.#lines > REWRITE_AFTER && this.#lines > this.#waiting.size * 4;
    if (this.#isDoubtful || isMostlyDone) await this.#begin();
    const handle = (this.#handle ??= await openFile(this.#path));
    const bytes = Buffer.from(lines.join(''));
    try {
      await writeAt(handle, bytes, this.#size);
      await handle.datasync();
    } catch (error) {
      // After a failed sync, the content on disk is unknown.
      this.#isDoubtful = true;
      await handle.truncate(this.#size).catch(() => {});
      throw error;
    }
    this.#size += bytes.length;
    this.#lines += lines.length;
  }

  /** Recreates the file from the waiting images. */
  async #begin(): Promise<void> {
    const bytes = Buffer.from(this.waiting().map(deferredLine).join(''));
    const aside = `${this.#path}.tmp`;
    await unlink(aside).catch(absent);
    const handle = await open(aside, 'wx', 0o600);
    try {
      await writeAt(handle, bytes, 0);
      await handle.sync();
    } catch (error) {
      await handle.close().catch(() => {});
      await unlink(aside).catch(() => {});
      throw error;
    }
    await handle.close();
    await this.#handle?.close().catch(() => {});
    this.#handle = null;
    await whileHeld(() => rename(aside, this.#path), process);
    await syncDirectory(dirname(this.#path));
    this.#size = bytes.length;
    this.#lines = this.#waiting.size;
    this.#isDoubtful = false;
  }

  async #empty(): Promise<void> {
    if (this.#size === 0 && !this.#isDoubtful) return;
    const handle = (this.#handle ??= await openFile(this.#path));
    try {
      await handle.truncate(0);
      await handle.datasync();
    } catch (error) {
      this.#isDoubtful = true;
      throw error;
    }
    this.#size = 0;
    this.#lines = 0;
    this.#isDoubtful = false;
  }
}

async function openFile(path: string): Promise<FileHandle> {
  const there = await open(path, 'r+').catch(absent);
  if (there) return there;
  const made = await open(path, 'wx', 0o600);
  await syncDirectory(dirname(path));
  return made;
}

async function writeAt(handle: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let written = 0; written < bytes.length;) {
    const { bytesWritten } = await handle.write(bytes, written, bytes.length - written, position + written);
    written += bytesWritten;
  }
}

function failure(error: unknown, path: string, isWriting: boolean): unknown {
  const system = systemCode(error);
  if (error instanceof ReceiptdError || system === undefined) return error;
  const key = system === 'ENOSPC' || system === 'EDQUOT' ? 'DISK_FULL.deferred' : 'STATE_UNWRITABLE.deferred';
  return new ReceiptdError(key, { path, isWriting, system }, { cause: error });
}
