import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { dirname } from 'node:path';
import { systemCode } from '../../core/domain/errors.ts';
import type { JournalEntry, JournalEvent, JournalHead } from '../../core/ports/journal.ts';
import { formatLine, isBad, NO_HASH, parseLine } from './line.ts';
import { lastLine, lineAfter } from './lines.ts';
import { damagedJournal } from './read.ts';
import { syncDirectorySync } from '../../system/syncDirectory.ts';

export { blankInJournal, personalRanges, type SeqRange } from './erase.ts';
export { damagedJournal, readJournal, type JournalFault, type ReadOptions } from './read.ts';

const SALT_BYTES = 16;
const SALTS_AT_ONCE = 256;
/** 32 hexadecimal digits that nobody can guess. */
const randomSalt = createSalts();

/** As much as a commit or two. */
const PROBE_BYTES = 64 * 1024;

/** Where the last entry ends, and which it is. */
interface Place {
  readonly offset: number;
  readonly head: JournalHead;
}

/**
 * The journal in the hands of its one writer. Two states:
 *
 * - whole: the file ends with the last entry.
 * - ragged: an append failed, or was taken back, and what it wrote could not be cut off. `head` is right all the
 *   same, and every later append cuts first. A process that ends here leaves entries that the ledger never held, or
 *   a torn line, for the next open.
 */
export class Journal {
  readonly path: string;
  /** Bytes of a commit that a crash cut short; they were cut off when the journal was opened. */
  readonly tornBytes: number;
  #place: Place;
  /** Before the last append, until that is taken back. One that failed leaves nothing to take back. */
  #before: Place | null = null;
  #ragged = false;
  readonly #fd: number;

  /** Takes over the descriptor. */
  constructor(path: string, fd: number, place: Place, tornBytes: number) {
    this.path = path;
    this.tornBytes = tornBytes;
    this.#fd = fd;
    this.#place = place;
  }

  get head(): JournalHead {
    return this.#place.head;
  }

  /** Size of the file in bytes. */
  get size(): number {
    return this.#place.offset;
  }

  /**
   * Appends all of `events` in one write; they are durable when it returns.
   * @throws the system's error; nothing is appended then, and the journal stays usable
   */
  append(events: readonly JournalEvent[]): JournalHead {
    const before = this.#place;
    this.#before = before;
    if (events.length > 0) {
      if (this.#ragged) this.#cut();
      let { head } = before;
      const lines: string[] = [];
      for (const [index, event] of events.entries()) {
        const isPart = index < events.length - 1;
        const { text, seq, hash } = formatLine(event, head, randomSalt, isPart);
        lines.push(text);
        head = { ledger: head.ledger, seq, hash };
      }
      const bytes = Buffer.from(lines.join(''));
      this.#write(bytes);
      this.#place = { offset: before.offset + bytes.length, head };
    }
    return this.head;
  }

  /**
   * Takes back the last append, because the transaction that went with it failed. Harmless after an append that
   * failed itself.
   * @throws the system's error where the file could not be cut; `head` is back anyway
   */
  rewind(): void {
    if (this.#before === null) throw new Error('There is no append to take back.');
    const changed = this.#before.offset !== this.#place.offset;
    this.#place = this.#before;
    this.#before = null;
    if (!changed) return;
    this.#ragged = true;
    this.#cut();
  }

  /** Throws what keeps the file from being written; it is as it was afterwards. */
  tryWriting(): void {
    const { offset } = this.#place;
    this.#ragged = true;
    fs.writeSync(this.#fd, Buffer.alloc(PROBE_BYTES, '\n'), 0, PROBE_BYTES, offset);
    fs.fdatasyncSync(this.#fd);
    this.#cut();
  }

  close(): void {
    fs.closeSync(this.#fd);
  }

  #write(bytes: Buffer): void {
    const { offset } = this.#place;
    try {
      for (let done = 0; done < bytes.length;) {
        done += fs.writeSync(this.#fd, bytes, done, bytes.length - done, offset + done);
      }
      fs.fdatasyncSync(this.#fd);
    } catch (error) {
      this.#ragged = true;
      try {
        this.#cut();
      } catch {
        // The first error is the one to tell; the next append cuts again.
      }
      throw error;
    }
  }

  #cut(): void {
    fs.ftruncateSync(this.#fd, this.#place.offset);
    fs.fdatasyncSync(this.#fd);
    this.#ragged = false;
  }
}

/**
 * Opens the journal of a ledger for its one writer. Reads its first line and its end only, so it takes no longer
 * for a large one; what a crash left of a last commit is cut off. Null where there is no file, or an empty one.
 * @throws ReceiptdError JOURNAL_DAMAGED; system errors
 */
export function openJournal(path: string): Journal | null {
  let fd: number;
  try {
    fd = fs.openSync(path, 'r+');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null;
    throw error;
  }
  try {
    const { size } = fs.fstatSync(fd);
    const place = size === 0 ? null : placeIn(fd, size, path);
    if (place === null) {
      fs.closeSync(fd);
      return null;
    }
    const torn = size - place.offset;
    if (torn > 0) {
      fs.ftruncateSync(fd, place.offset);
      fs.fdatasyncSync(fd);
    }
    // A kill while it was begun leaves its second name.
    fs.rmSync(asideOf(path), { force: true });
    return new Journal(path, fd, place, torn);
  } catch (error) {
    fs.closeSync(fd);
    throw error;
  }
}

/**
 * Begins a journal with `first` (its facts name the ledger), behind `after` where a journal came before, and what it is
 * `told` again, in batches. It is made aside and named when all of that is durable: a crash leaves either none or a whole
 * one, for what a ledger is recreated from must not end in the middle.
 * @throws the system's error; EEXIST where there is a file that is not empty
 */
export function createJournal(
  path: string,
  first: JournalEvent,
  after: JournalHead | null,
  { told = [] }: { readonly told?: Iterable<readonly JournalEvent[]> } = {},
): Journal {
  const { ledger } = first.facts;
  if (typeof ledger !== 'string') throw new TypeError('The first entry of a journal names its ledger.');
  const line = formatLine(first, after ?? { seq: 0, hash: NO_HASH }, randomSalt);
  const bytes = Buffer.from(line.text);
  const place = { offset: bytes.length, head: { ledger, seq: line.seq, hash: line.hash } };
  const aside = asideOf(path);
  fs.rmSync(aside, { force: true });
  const fd = fs.openSync(aside, 'wx+', 0o600);
  try {
    fs.writeFileSync(fd, bytes);
    const journal = new Journal(path, fd, place, 0);
    for (const batch of told) journal.append(batch);
    fs.fsyncSync(fd);
    if (fs.statSync(path, { throwIfNoEntry: false })?.size === 0) fs.rmSync(path);
    // Unlike a rename, a link never replaces a file.
    fs.linkSync(aside, path);
    fs.rmSync(aside);
    syncDirectorySync(dirname(path));
    return journal;
  } catch (error) {
    fs.closeSync(fd);
    fs.rmSync(aside, { force: true });
    throw error;
  }
}

/** Asking the system for random bytes costs more than hashing a line. */
function createSalts(): () => string {
  let bytes = Buffer.alloc(0);
  let used = 0;
  return () => {
    if (used === bytes.length) {
      bytes = randomBytes(SALT_BYTES * SALTS_AT_ONCE);
      used = 0;
    }
    used += SALT_BYTES;
    return bytes.toString('hex', used - SALT_BYTES, used);
  };
}

function asideOf(path: string): string {
  return `${path}.new`;
}

function placeIn(fd: number, size: number, path: string): Place {
  let last = lastLine(fd, size);
  const first = last && soundEntry(parseLine(lineAfter(fd, 0)?.bytes ?? null));
  // A journal is never without its first entry: a file that holds none was damaged.
  if (typeof first === 'string' || first === undefined) {
    throw damagedJournal(path, 1, first ?? 'the file has no complete line');
  }
  const { ledger } = first.facts;
  if (typeof ledger !== 'string') {
    throw damagedJournal(path, first.seq, 'the first entry does not name its ledger');
  }
  for (;;) {
    const parsed = parseLine(last?.line.bytes ?? null);
    const entry = soundEntry(parsed);
    if (typeof entry === 'string') throw damagedJournal(path, null, entry);
    const isPart = !isBad(parsed) && parsed.isPart;
    if (!last || !isPart) {
      return { offset: last?.end ?? 0, head: { ledger, seq: entry.seq, hash: entry.hash } };
    }
    // Half a commit says what never was: an answer without what followed from it.
    last = lastLine(fd, last.line.offset);
  }
}

/** The entry, or what is wrong with it. */
function soundEntry(parsed: ReturnType<typeof parseLine>): JournalEntry | string {
  if (isBad(parsed)) return parsed.what;
  return parsed.personal === 'broken' ? 'its personal data were changed' : parsed.entry;
}
