import fs from 'node:fs';
import { ReceiptdError, systemCode } from '../../core/domain/errors.ts';
import type { JournalHead, JournalEntry } from '../../core/ports/journal.ts';
import {
  isBad,
  NO_HASH,
  parseLine,
  type BadLine,
  type JournalLine,
  type ParsedLine,
  MAX_LINE_BYTES,
} from './line.ts';
import type { JournalFlawFact } from '../../core/domain/why.ts';

/** Files smaller than this are read through. */
const HALVE_ABOVE_BYTES = 64 * 1024;

/** What is wrong at a place in a chain, behind entry `after` (0: at the beginning). */
export interface JournalFault extends BadLine {
  readonly after: number;
}

export interface Checked {
  /** Null if the line holds nothing usable: damaged, or a number that was already read. */
  readonly parsed: ParsedLine | null;
  readonly fault?: JournalFault;
}

/** Checks lines, each by itself and against those before it: of journals, of chains in a database, and of archived months. */
export class ChainCheck {
  #last: { readonly seq: number; readonly hash: string | null };
  /** Lines since `#last` that are no entries: as many numbers may be missing. */
  #bad = 0;

  /** @param after the entry before the first line; a hash of null is not compared */
  constructor(after: { readonly seq: number; readonly hash: string | null } = { seq: 0, hash: NO_HASH }) {
    this.#last = after;
  }

  /** @param bytes without its line feed; null: too long */
  next(bytes: Buffer | null): Checked {
    const { seq: after, hash: before } = this.#last;
    const parsed = parseLine(bytes);
    if (isBad(parsed)) {
      this.#bad += 1;
      return { parsed: null, fault: { after, ...parsed } };
    }
    const { seq, hash, kind } = parsed.entry;
    const fault = (flaw: JournalFlawFact) => ({ fault: { after, seq, flaw } });
    // A restarted journal continues a chain that begins elsewhere.
    const isContinued = after === 0 && kind === 'continued';
    if (seq <= after && !isContinued)
      return {
        parsed: null,
        ...fault({ is: 'moved', seq, after }),
      };
    const isGap = seq > after + 1 + this.#bad && !isContinued;
    const isReplaced = seq === after + 1 && before !== null && parsed.prev !== before && !isContinued;
    this.#last = { seq, hash };
    this.#bad = 0;
    if (isGap) {
      const from = after + 1;
      return {
        parsed,
        ...fault(
          after === 0
            ? { is: 'beginningMissing', seq }
            : { is: 'entriesMissing', from, to: seq - 1, before: seq },
        ),
      };
    }
    if (isReplaced)
      return {
        parsed,
        ...fault({ is: 'replaced', seq, after }),
      };
    if (parsed.personal === 'broken') return { parsed, ...fault({ is: 'personalReplaced', seq }) };
    return { parsed };
  }
}

/** From the entry `afterSeq` on (it anchors the chain), or from the first. Yields nothing if there is no file. */
export function* checkedLines(
  path: string,
  afterSeq = 0,
): Generator<Checked & { readonly raw: RawLine }, void> {
  let fd: number;
  try {
    fd = fs.openSync(path, 'r');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return;
    throw error;
  }
  try {
    const from = afterSeq === 0 ? 0 : offsetOf(fd, afterSeq);
    const chain = from === 0 ? new ChainCheck() : new ChainCheck({ seq: afterSeq - 1, hash: null });
    for (const raw of linesOf(fd, from)) yield { raw, ...chain.next(raw.bytes) };
  } finally {
    fs.closeSync(fd);
  }
}

export interface JournalReadOptions {
  /** Continues after untrusted parts and reports them to `onFault`, to save what can be saved. */
  readonly lenient?: boolean;
  readonly onFault?: (fault: JournalFault) => void;
}

/**
 * Yields the entries after number `afterSeq`, each checked: its hash, its place in the chain, its personal data. Skips
 * an incomplete last commit that a crash left. Yields nothing if there is no file.
 * @throws ReceiptdError JOURNAL_DAMAGED, unless `lenient`; system errors
 */
export function* readJournal(
  path: string,
  afterSeq: number,
  { lenient = false, onFault = () => {} }: JournalReadOptions = {},
): Generator<JournalLine, void> {
  let commit: JournalLine[] = [];
  for (const { parsed, fault } of checkedLines(path, afterSeq)) {
    if (fault !== undefined) {
      // The damaged line may be the end of this commit; the part that was read is saved.
      yield* commit;
      commit = [];
      if (!lenient) throw damagedJournal(path, fault.after + 1, fault.flaw);
      onFault(fault);
    }
    if (parsed === null) continue;
    if (parsed.entry.seq > afterSeq) commit.push(parsed.entry);
    if (parsed.isPart) continue;
    yield* commit;
    commit = [];
  }
}

/** The first entry that can be read. */
export function firstEntry(path: string): JournalLine | null {
  for (const entry of readJournal(path, 0, { lenient: true })) return entry;
  return null;
}

/** Changes nothing, not even what a crash left. @throws ReceiptdError LEDGER_OLDER */
export function refuseOlderJournal(path: string): void {
  const first = firstEntry(path);
  // Without its first entry, it is a damaged one.
  if ((first?.kind === 'begun' || first?.kind === 'continued') && first.facts['format'] === undefined)
    throw new ReceiptdError('LEDGER_OLDER.format', { path });
}

/** Entry `seq`, or the last one if the journal ends before, and where in the file it ends; null: there is none. */
export function entryUpTo(
  path: string,
  seq: number,
): (Pick<JournalHead, 'seq' | 'hash'> & { readonly end: number }) | null {
  let last: ReturnType<typeof entryUpTo> = null;
  for (const { raw, parsed } of checkedLines(path, Number.isFinite(seq) ? seq : 0)) {
    if (parsed === null) continue;
    const { entry } = parsed;
    if (entry.seq > seq) break;
    last = { seq: entry.seq, hash: entry.hash, end: raw.offset + (raw.bytes?.length ?? 0) + 1 };
    if (entry.seq === seq) break;
  }
  return last;
}

/** End offset of this entry in a journal; null if there is no entry with that number and hash. */
export function endOfEntry(path: string, { seq, hash }: Pick<JournalHead, 'seq' | 'hash'>): number | null {
  const found = entryUpTo(path, seq);
  return found?.seq === seq && found.hash === hash ? found.end : null;
}

/**
 * The last line of the last complete commit, and where it ends; undefined if no line is complete. Half a commit would be false: an answer without its
 * consequences.
 */
export function lastCommit(
  fd: number,
): { readonly line: ParsedLine | BadLine; readonly offset: number; readonly end: number } | undefined {
  for (let { size } = fs.fstatSync(fd); ;) {
    const last = lastLine(fd, size);
    if (last === undefined) return undefined;
    const line = parseLine(last.line.bytes);
    const { offset } = last.line;
    if (isBad(line) || !line.isPart) return { line, offset, end: last.end };
    size = offset;
  }
}

/** Offset of entry `seq`, or 0 if not found. Numbers only rise, so a sound file allows binary search. */
function offsetOf(fd: number, seq: number): number {
  let low = 0;
  let high = fs.fstatSync(fd).size;
  while (high - low > HALVE_ABOVE_BYTES) {
    const middle = Math.floor((low + high) / 2);
    const raw = lineAfter(fd, middle);
    if (raw === undefined || raw.offset >= high) {
      high = middle;
      continue;
    }
    const parsed = parseLine(raw.bytes);
    // In a damaged file, nothing is skipped.
    if (isBad(parsed)) return 0;
    if (parsed.entry.seq > seq) high = raw.offset;
    else low = raw.offset;
  }
  for (const { bytes, offset } of linesOf(fd, low)) {
    const parsed = parseLine(bytes);
    if (isBad(parsed) || parsed.entry.seq > seq) return 0;
    if (parsed.entry.seq === seq) return offset;
  }
  return 0;
}

/** `entry` null: the last one, whatever its number. */
export function damagedJournal(path: string, entry: number | null, flaw: JournalFlawFact): ReceiptdError {
  return new ReceiptdError('JOURNAL_DAMAGED.entry', { path, entry, flaw });
}

const CHUNK_BYTES = 1024 * 1024;
const LINE_FEED = 10;

export interface RawLine {
  /** Offset of its first byte in the file. */
  readonly offset: number;
  /** Without its line feed; null if it is longer than any entry. Valid until the next line is requested. */
  readonly bytes: Buffer | null;
}

/** Yields the complete lines from offset `from` on, in constant memory. @returns the end of the last complete line */
export function* linesOf(fd: number, from = 0, until = Infinity): Generator<RawLine, number> {
  let offset = from;
  let position = from;
  let pieces: Buffer[] = [];
  let held = 0;
  for (;;) {
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, until - position));
    const read = fs.readSync(fd, chunk, 0, chunk.length, position);
    if (read === 0) return offset;
    position += read;
    let start = 0;
    for (;;) {
      const end = chunk.subarray(0, read).indexOf(LINE_FEED, start);
      if (end < 0) break;
      const last = chunk.subarray(start, end);
      const length = held + last.length;
      const bytes = held === 0 ? last : Buffer.concat([...pieces, last]);
      yield { offset, bytes: length > MAX_LINE_BYTES ? null : bytes };
      offset += length + 1;
      start = end + 1;
      pieces = [];
      held = 0;
    }
    if (start < read) {
      // For an overlong line, only the length is counted.
      held += read - start;
      if (held <= MAX_LINE_BYTES) pieces.push(chunk.subarray(start, read));
      else pieces = [];
    }
  }
}

/** The first complete line that begins after `offset`, or at 0. */
export function lineAfter(fd: number, offset: number): RawLine | undefined {
  if (offset === 0) return first(linesOf(fd));
  const lines = linesOf(fd, offset);
  lines.next();
  return first(lines);
}

function first(lines: Iterator<RawLine, number>): RawLine | undefined {
  const { value, done } = lines.next();
  return done ? undefined : value;
}

/** The last complete line, and where the complete part of the file ends; undefined without a line feed. */
export function lastLine(fd: number, size: number): { line: RawLine; end: number } | undefined {
  let reach = Math.min(size, 64 * 1024);
  for (;;) {
    const tail = Buffer.allocUnsafe(reach);
    const from = size - fs.readSync(fd, tail, 0, reach, size - reach);
    const end = tail.lastIndexOf(LINE_FEED);
    const before = end <= 0 ? -1 : tail.lastIndexOf(LINE_FEED, end - 1);
    const whole = reach === size;
    if (end >= 0 && (before >= 0 || whole)) {
      return {
        line: { offset: from + before + 1, bytes: tail.subarray(before + 1, end) },
        end: from + end + 1,
      };
    }
    if (whole || reach > 2 * MAX_LINE_BYTES) return undefined;
    reach = Math.min(size, reach * 4);
  }
}

/*
 * Erasure overwrites personal data with blanks, byte for byte. The chain covers only their digest, so it stays
 * verifiable. The caller does the second of three steps:
 *
 *   personalRanges ──▶ an `erased` entry with these ranges, durable ──▶ blankInJournal
 *
 * In this order, a crash in between leaves an intent that can be finished from the ranges alone. The reverse order
 * could leave blanks without a record, indistinguishable from tampering.
 */

/** Entry numbers, both inclusive. */
export type SeqRange = readonly [from: number, to: number];

/**
 * Ranges of the entries that `wanted` picks and that hold personal data. A range may include entries that never had
 * any, but no entry whose personal data must stay.
 * @throws ReceiptdError JOURNAL_DAMAGED; system errors
 */
export function personalRanges(path: string, wanted: (entry: JournalEntry) => boolean): SeqRange[] {
  const ranges: [from: number, to: number][] = [];
  let open: [from: number, to: number] | null = null;
  for (const { parsed, fault } of checkedLines(path)) {
    if (fault !== undefined || parsed === null) {
      throw damagedJournal(path, (fault?.after ?? 0) + 1, fault?.flaw ?? { is: 'numberTwice' });
    }
    const { entry, personal } = parsed;
    if (personal !== 'kept') continue;
    if (!wanted(entry)) open = null;
    else if (open !== null) open[1] = entry.seq;
    else ranges.push((open = [entry.seq, entry.seq]));
  }
  return ranges;
}

/** Blanks all personal data within `ranges`; durable on return. Idempotent. */
export function blankInJournal(path: string, ranges: readonly SeqRange[]): void {
  // Those of several erasures come in any order.
  const left = ranges.toSorted(([a], [b]) => a - b);
  const [first] = left;
  if (first === undefined) return;
  const fd = fs.openSync(path, 'r+');
  try {
    for (const { parsed, raw } of checkedLines(path, Math.max(0, first[0] - 1))) {
      if (parsed === null) continue;
      const { seq } = parsed.entry;
      while (left[0] !== undefined && left[0][1] < seq) left.shift();
      if (left[0] === undefined) break;
      if (seq < left[0][0] || parsed.personal === 'none' || parsed.personal === 'erased') continue;
      const { from, length } = parsed.personalAt;
      const blanks = Buffer.alloc(length, ' ');
      for (let done = 0; done < length;) {
        done += fs.writeSync(fd, blanks, done, length - done, raw.offset + from + done);
      }
    }
    fs.fdatasyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}
