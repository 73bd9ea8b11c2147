import fs from 'node:fs';
import { ReceiptdError, systemCode } from '../../core/domain/errors.ts';
import type { JournalEntry, JournalHead } from '../../core/ports/journal.ts';
import { isBad, NO_HASH, parseLine, type ParsedLine } from './line.ts';
import { lineAfter, linesOf, type RawLine } from './lines.ts';

/** Files smaller than this are read through. */
const HALVE_ABOVE_BYTES = 64 * 1024;

/** Part of the journal that can't be trusted, after entry `after` (0: at the beginning). */
export interface JournalFault {
  readonly after: number;
  readonly what: string;
}

export interface ReadOptions {
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
  { lenient = false, onFault = () => {} }: ReadOptions = {},
): Generator<JournalEntry, void> {
  let commit: JournalEntry[] = [];
  for (const { parsed, fault } of checkedLines(path, afterSeq)) {
    if (fault !== undefined) {
      // The damaged line may be the end of this commit; the part that was read is saved.
      yield* commit;
      commit = [];
      if (!lenient) throw damagedJournal(path, fault.after + 1, fault.what);
      onFault(fault);
    }
    if (parsed === null) continue;
    if (parsed.entry.seq > afterSeq) commit.push(parsed.entry);
    if (parsed.isPart) continue;
    yield* commit;
    commit = [];
  }
}

/** Changes nothing, not even what a crash left. @throws ReceiptdError LEDGER_OLDER */
export function refuseOlderJournal(path: string): void {
  for (const { kind, facts } of readJournal(path, 0, { lenient: true })) {
    // Without its first entry, it is a damaged one.
    if ((kind === 'begun' || kind === 'continued') && facts['format'] === undefined)
      throw new ReceiptdError('LEDGER_OLDER.format', { path });
    return;
  }
}

export interface CheckedLine {
  readonly raw: RawLine;
  /** Null if the line holds nothing usable: damaged, or a number that was already read. */
  readonly parsed: ParsedLine | null;
  readonly fault?: JournalFault;
}

/** From the entry `afterSeq` on (it anchors the chain), or from the first. */
export function* checkedLines(path: string, afterSeq = 0): Generator<CheckedLine, void> {
  let fd: number;
  try {
    fd = fs.openSync(path, 'r');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return;
    throw error;
  }
  try {
    const from = afterSeq === 0 ? 0 : offsetOf(fd, afterSeq);
    /** The previous entry, if known and sound. */
    let before: { seq: number; hash: string } | null = from === 0 ? { seq: 0, hash: NO_HASH } : null;
    let last = from === 0 ? 0 : afterSeq - 1;
    for (const raw of linesOf(fd, from)) {
      const parsed = parseLine(raw.bytes);
      if (isBad(parsed)) {
        yield { raw, parsed: null, fault: { after: last, what: parsed.what } };
        before = null;
        continue;
      }
      const { seq, hash } = parsed.entry;
      const what = faultOf(parsed, before, raw.offset === 0);
      const fault = what !== undefined && { fault: { after: last, what } };
      const isNew = seq > last;
      yield { raw, parsed: isNew ? parsed : null, ...fault };
      if (!isNew) continue;
      before = { seq, hash };
      last = seq;
    }
  } finally {
    fs.closeSync(fd);
  }
}

function faultOf(
  { entry, prev, personal }: ParsedLine,
  before: { seq: number; hash: string } | null,
  isFirst: boolean,
): string | undefined {
  // A restarted journal continues a chain that begins elsewhere.
  const isContinued = isFirst && entry.kind === 'continued';
  if (before !== null && !isContinued) {
    if (entry.seq !== before.seq + 1) return `entry ${entry.seq} follows entry ${before.seq}`;
    if (prev !== before.hash) return `entry ${entry.seq} does not belong behind entry ${before.seq}`;
  }
  return personal === 'broken' ? `the personal data of entry ${entry.seq} were changed` : undefined;
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
export function damagedJournal(path: string, entry: number | null, what: string): ReceiptdError {
  return new ReceiptdError('JOURNAL_DAMAGED.entry', { path, entry, detail: what });
}

/** End offset of entry `seq` in a journal; null if there is no entry with that number and hash. */
export function endOfEntry(journal: string, { seq, hash }: Pick<JournalHead, 'seq' | 'hash'>): number | null {
  for (const { raw, parsed } of checkedLines(journal, seq)) {
    if (parsed === null || parsed.entry.seq > seq) return null;
    if (parsed.entry.seq === seq)
      return parsed.entry.hash === hash ? raw.offset + (raw.bytes?.length ?? 0) + 1 : null;
  }
  return null;
}
