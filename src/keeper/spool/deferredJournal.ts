import { createHash } from 'node:crypto';
import { copyFile, open, readFile, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ReceiptdError, systemCode } from '../../core/domain/errors.ts';
import type { Log } from '../../core/ports/log.ts';
import type { DeferredImage, DeferredJournal } from '../../core/ports/deferredJournal.ts';
import { writeDurably } from '../../system/durableFile.ts';
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
    const lines = await journal.load();
    if (lines > 0) log.error('deferredJournalDamaged', { path, lines, kept: `${path}.damaged` });
    return journal;
  } catch (error) {
    throw failure(error, path, false);
  }
}

interface Write {
  readonly entry: Entry;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/**
 * The file is
 *
 *   absent ──first entry──▶ appended to ──all admitted──▶ empty ──▶ ...
 *                              └──a write or a sync failed──▶ doubtful ──next write: written anew──▶ appended to
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

  /** Resolves how many lines are damaged. */
  async load(): Promise<number> {
    const bytes = await readFile(this.#path).catch(absent);
    const { entries, length, damaged } = readLines(bytes ?? Buffer.alloc(0));
    for (const entry of entries) this.#apply(entry);
    this.#lines = entries.length;
    this.#size = length;
    this.#isDoubtful = bytes !== null && (bytes.length > length || this.#lines > this.#waiting.size);
    if (damaged > 0) await copyFile(this.#path, `${this.#path}.damaged`).catch(() => {});
    // Removes torn and obsolete lines now, or else with the next write.
    if (this.#isDoubtful) await this.#writeAnew().catch(() => {});
    return damaged;
  }

  async defer(image: DeferredImage): Promise<void> {
    const key = keyOf(image);
    if (this.#waiting.has(key)) return;
    const write = this.#underWay.get(key) ?? this.#append({ kind: 'deferred', image });
    this.#underWay.set(key, write);
    await write.finally(() => this.#underWay.delete(key));
  }

  waiting(): readonly DeferredImage[] {
    return [...this.#waiting.values()];
  }

  needs(sha256: string): boolean {
    return this.#hashes.has(sha256);
  }

  async admitted(image: DeferredImage): Promise<void> {
    // Stays in memory until the line is durable, because its copy may still be needed until then.
    if (this.#waiting.has(keyOf(image))) await this.#append({ kind: 'admitted', image });
  }

  async close(): Promise<void> {
    while (this.#flushing) await this.#flushing;
    if (this.#waiting.size === 0 && this.#size > 0) await this.#empty().catch(() => {});
    await this.#handle?.close();
    this.#handle = null;
  }

  #apply({ kind, image }: Entry): void {
    const key = keyOf(image);
    const { sha256 } = image;
    const count = this.#hashes.get(sha256) ?? 0;
    if (kind === 'deferred' && !this.#waiting.has(key)) {
      this.#waiting.set(key, image);
      this.#hashes.set(sha256, count + 1);
    } else if (kind === 'admitted' && this.#waiting.delete(key)) {
      if (count > 1) this.#hashes.set(sha256, count - 1);
      else this.#hashes.delete(sha256);
    }
  }

  #append(entry: Entry): Promise<void> {
    return new Promise((done, failed) => {
      this.#queue.push({ entry, done, failed });
      this.#flushing ??= this.#flush();
    });
  }

  async #flush(): Promise<void> {
    // Lets writes requested in the same tick go together.
    await Promise.resolve();
    while (this.#queue.length > 0) {
      const writes = this.#queue.splice(0);
      try {
        await this.#write(writes.map(({ entry }) => lineOf(entry)));
        for (const { entry, done } of writes) {
          this.#apply(entry);
          done();
        }
      } catch (error) {
        for (const { failed } of writes) failed(failure(error, this.#path, true));
      }
      if (this.#queue.length === 0 && this.#waiting.size === 0) await this.#empty().catch(() => {});
    }
    // Synchronously, so that the next caller starts a new flush.
    this.#flushing = null;
  }

  async #write(lines: readonly string[]): Promise<void> {
    const isMostlyDone = this.#lines > REWRITE_AFTER && this.#lines > this.#waiting.size * 4;
    if (this.#isDoubtful || isMostlyDone) await this.#writeAnew();
    const bytes = Buffer.from(lines.join(''));
    const handle = await this.#opened();
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

  /** Replaces the file by one with the waiting images. */
  async #writeAnew(): Promise<void> {
    const lines = this.waiting().map((image) => lineOf({ kind: 'deferred', image }));
    const bytes = Buffer.from(lines.join(''));
    await this.#handle?.close().catch(() => {});
    this.#handle = null;
    await writeDurably(this.#path, bytes);
    this.#isNow(bytes.length, lines.length);
  }

  async #empty(): Promise<void> {
    if (this.#size === 0 && !this.#isDoubtful) return;
    const handle = await this.#opened();
    try {
      await handle.truncate(0);
      await handle.datasync();
    } catch (error) {
      this.#isDoubtful = true;
      throw error;
    }
    this.#isNow(0, 0);
  }

  #isNow(size: number, lines: number): void {
    this.#size = size;
    this.#lines = lines;
    this.#isDoubtful = false;
  }

  async #opened(): Promise<FileHandle> {
    if (this.#handle !== null) return this.#handle;
    this.#handle = await open(this.#path, 'r+').catch(absent);
    if (this.#handle !== null) return this.#handle;
    this.#handle = await open(this.#path, 'wx', 0o600);
    await syncDirectory(dirname(this.#path));
    return this.#handle;
  }
}

/* ---- Lines ---- */

/**
 * One line of the journal: `{"digest":"<32 hex digits>","entry":{…}}`. The digest covers the entry's text, and so reveals a line
 * that was torn by a crash or damaged on disk.
 */
interface Entry {
  readonly kind: 'deferred' | 'admitted';
  readonly image: DeferredImage;
}

const DIGITS = 32;
const LINE = /^\{"digest":"([0-9a-f]{32})","entry":(.*)\}$/s;
const NEWLINE = 0x0a;
/** Fields of an identity that are no numbers of JSON. */
const EXACT: ReadonlySet<string> = new Set(['mtimeNs', 'ctimeNs', 'inode']);

/** A key for each image that `defer` treats as distinct. */
function keyOf({ folder, path, sha256 }: DeferredImage): string {
  return JSON.stringify([folder, path, sha256]);
}

function lineOf({ kind, image }: Entry): string {
  const exact = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value);
  const text = JSON.stringify({ kind, ...image }, exact);
  return `{"digest":"${digestOf(text)}","entry":${text}}\n`;
}

/**
 * All intact lines, and where the last of them ends: anything after it was being written when the process ended. `damaged`: number
 * of corrupt lines before that.
 */
function readLines(bytes: Buffer): { readonly entries: Entry[]; length: number; damaged: number } {
  const read = { entries: [] as Entry[], length: 0, damaged: 0 };
  let doubtful = 0;
  for (let start = 0; start < bytes.length;) {
    const end = bytes.indexOf(NEWLINE, start);
    if (end < 0) break;
    const entry = parse(bytes.toString('utf8', start, end));
    start = end + 1;
    if (entry === null) {
      doubtful += 1;
      continue;
    }
    // A line followed by an intact one was not torn, but damaged.
    read.damaged += doubtful;
    doubtful = 0;
    read.entries.push(entry);
    read.length = start;
  }
  return read;
}

function parse(line: string): Entry | null {
  const [, digest, text = ''] = LINE.exec(line) ?? [];
  if (digest === undefined || digestOf(text) !== digest) return null;
  const exact = (name: string, value: unknown): unknown => (EXACT.has(name) ? BigInt(String(value)) : value);
  // The digest proves that `lineOf` wrote it, so the shape is known.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const { kind, ...image } = JSON.parse(text, exact) as Pick<Entry, 'kind'> & DeferredImage;
  return { kind, image };
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, DIGITS);
}

/** For `catch`: null if the file is missing. @throws any other error */
function absent(error: unknown): null {
  if (systemCode(error) === 'ENOENT') return null;
  throw error;
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
