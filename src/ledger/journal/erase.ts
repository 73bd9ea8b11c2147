/*
 * Erasure overwrites personal data with blanks, byte for byte. The chain covers only their digest, so it stays
 * verifiable. The caller does the second of three steps:
 *
 *   personalRanges ──▶ an `erased` entry with these ranges, durable ──▶ blankInJournal
 *
 * In this order, a crash in between leaves an intent that can be finished from the ranges alone. The reverse order
 * could leave blanks without a record, indistinguishable from tampering.
 */
import fs from 'node:fs';
import type { JournalEntry } from '../../core/ports/journal.ts';
import { checkedLines, damagedJournal } from './read.ts';

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
