import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { dirname } from 'node:path';
import { ReceiptdError, systemCode } from '../../core/domain/errors.ts';
import type { JournalEntry, JournalEvent, JournalHead } from '../../core/ports/journal.ts';
import { formatLine, isBad, NO_HASH, parseLine, type BadLine, type ParsedLine } from './line.ts';
import {
  lineAfter,
  damagedJournal,
  lastCommit,
  readJournal,
  blankInJournal,
  personalRanges,
  type SeqRange,
} from './read.ts';
import { syncDirectorySync } from '../../system/syncDirectory.ts';
import type { JournalFlawFact } from '../../core/domain/why.ts';

export { blankInJournal, damagedJournal, personalRanges, readJournal, type JournalFault } from './read.ts';

const SALT_BYTES = 16;
const SALTS_AT_ONCE = 256;
/** 32 unguessable hexadecimal digits. */
const randomSalt = createSalts();

/** About the size of a commit or two. */
const PROBE_BYTES = 64 * 1024;

/** The last entry and where it ends. */
interface JournalEnd {
  readonly offset: number;
  readonly head: JournalHead;
}

/**
 * The journal, held by its only writer. Two states:
 *
 * - whole: the file ends with the last entry.
 * - ragged: an append failed, and its bytes could not be cut off. `head` is right nevertheless, and every later append cuts first. If the process
 *   ends now, the next open finds entries that the ledger never held, or a torn line.
 */
export class Journal {
  readonly path: string;
  #end: JournalEnd;
  #ragged = false;
  readonly #fd: number;

  /** Takes over the descriptor. */
  constructor(path: string, fd: number, end: JournalEnd) {
    this.path = path;
    this.#fd = fd;
    this.#end = end;
  }

  get head(): JournalHead {
    return this.#end.head;
  }

  /**
   * Appends all `events` in one write; durable on return.
   * @throws the system's error, or ReceiptdError LEDGER_DAMAGED; nothing was appended then, and the journal stays usable
   */
  append(events: readonly JournalEvent[]): JournalHead {
    const before = this.#end;
    if (events.length > 0) {
      if (this.#ragged) this.#cut();
      this.#demandWhole();
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
      this.#end = { offset: before.offset + bytes.length, head };
    }
    return this.head;
  }

  /**
   * Writes a probe and removes it again. It has no line feed, so that one that a crash leaves, or a reader meets, is an incomplete commit.
   * @throws the error that prevents writing; the file is unchanged
   */
  tryWriting(): void {
    const { offset } = this.#end;
    this.#ragged = true;
    fs.writeSync(this.#fd, Buffer.alloc(PROBE_BYTES, ' '), 0, PROBE_BYTES, offset);
    fs.fdatasyncSync(this.#fd);
    this.#cut();
  }

  /** Entries behind a number, each checked. @throws ReceiptdError JOURNAL_DAMAGED */
  after(seq: number): Iterable<JournalEntry> {
    return readJournal(this.path, seq);
  }

  /** Ranges of entries with personal data that `isMeant`. */
  personal(isMeant: (entry: JournalEntry) => boolean): readonly SeqRange[] {
    return personalRanges(this.path, isMeant);
  }

  blank(ranges: readonly SeqRange[]): void {
    blankInJournal(this.path, ranges);
  }

  close(): void {
    fs.closeSync(this.#fd);
  }

  /** What was written is still there: behind the end of a file that became shorter, a hole would begin. */
  #demandWhole(): void {
    if (fs.fstatSync(this.#fd).size >= this.#end.offset) return;
    throw new ReceiptdError('LEDGER_DAMAGED.file', { path: this.path, detail: 'journalCut' });
  }

  #write(bytes: Buffer): void {
    const { offset } = this.#end;
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
        // The first error is the one to report; the next append cuts again.
      }
      throw error;
    }
  }

  #cut(): void {
    fs.ftruncateSync(this.#fd, this.#end.offset);
    fs.fdatasyncSync(this.#fd);
    this.#ragged = false;
  }
}

/**
 * Opens the journal of a ledger for its only writer. Reads only the first line and the end, so that a large journal
 * opens as fast as a small one. Cuts off an incomplete last commit that a crash left. Null if the file is missing or
 * empty.
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
    const end = size === 0 ? null : endIn(fd, path);
    if (end === null) {
      fs.closeSync(fd);
      return null;
    }
    if (size > end.offset) {
      fs.ftruncateSync(fd, end.offset);
      fs.fdatasyncSync(fd);
    }
    // A crash during creation leaves the temporary name.
    fs.rmSync(asideOf(path), { force: true });
    return new Journal(path, fd, end);
  } catch (error) {
    fs.closeSync(fd);
    throw error;
  }
}

/**
 * Creates a journal that begins with `first` (its facts name the ledger), after `after` if there was a journal before,
 * followed by `told` in batches. Written under a temporary name and linked once it is durable: a ledger is recreated
 * from it, so a crash must leave either no journal or a complete one.
 * @throws the system's error; EEXIST if a file exists that is not empty
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
  const end = { offset: bytes.length, head: { ledger, seq: line.seq, hash: line.hash } };
  const aside = asideOf(path);
  fs.rmSync(aside, { force: true });
  const fd = fs.openSync(aside, 'wx+', 0o600);
  try {
    fs.writeFileSync(fd, bytes);
    const journal = new Journal(path, fd, end);
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

/** Buffered: requesting random bytes from the system costs more than hashing a line. */
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

/** Every journal has a first entry: a file without one was damaged. */
function endIn(fd: number, path: string): JournalEnd {
  const last = lastCommit(fd);
  if (last === undefined) throw damagedJournal(path, 1, { is: 'noCompleteLine' });
  const first = soundEntry(parseLine(lineAfter(fd, 0)?.bytes ?? null));
  if ('is' in first) throw damagedJournal(path, 1, first);
  const { ledger } = first.facts;
  if (typeof ledger !== 'string') throw damagedJournal(path, first.seq, { is: 'noLedgerName' });
  const entry = soundEntry(last.line);
  if ('is' in entry) throw damagedJournal(path, null, entry);
  return { offset: last.end, head: { ledger, seq: entry.seq, hash: entry.hash } };
}

/** The entry, or what is wrong with it. */
function soundEntry(parsed: ParsedLine | BadLine): JournalEntry | JournalFlawFact {
  if (isBad(parsed)) return parsed.flaw;
  return parsed.personal === 'broken' ? { is: 'personalChanged' } : parsed.entry;
}
