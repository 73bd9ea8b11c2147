import fs from 'node:fs';
import { join } from 'node:path';
import {
  blankInJournal,
  createJournal,
  openJournal,
  personalRanges,
  readJournal,
} from '../../../src/ledger/journal/journal.ts';
import type { JournalReadOptions, SeqRange } from '../../../src/ledger/journal/read.ts';
import type { JournalEntry, JournalEvent, JournalHead, JsonObject } from '../../../src/core/ports/journal.ts';
import { cleanUp } from '../../support/cleanUp.ts';
import { memoryDirectory } from '../../support/memoryDirectory.ts';

export const LEDGER = '0b5e1f0c-3f5e-4f0a-9c1d-2a3b4c5d6e7f';
export const T0 = Date.UTC(2026, 2, 14, 8, 30);

/** A path for a journal; removed after the test. */
export function journalPath(): string {
  const dir = fs.mkdtempSync(join(memoryDirectory(), 'receiptd-journal-'));
  cleanUp(() => fs.rmSync(dir, { recursive: true, force: true }));
  return join(dir, 'ledger.journal');
}

export function event(kind: string, facts: JsonObject = {}, personal?: JsonObject): JournalEvent {
  return { kind, at: T0, facts, ...(personal && { personal }) };
}

export const BEGUN = event('begun', { ledger: LEDGER });

/** The first event of a document; every second one has personal data. */
export function named(n: number): JournalEvent {
  const facts = { document: n, name: `SCAN${String(n).padStart(4, '0')}-5e8ff9bf55ba` };
  return { ...event('named', facts, n % 2 === 0 ? { path: `/scans/Büro/${n}.jpg` } : undefined), at: T0 + n };
}

/** A journal of `count` entries, in appends of three. @returns its head */
export function writeJournal(path: string, count: number): JournalHead {
  const journal = createJournal(path, BEGUN, null);
  for (let n = 2; n <= count; n += 3) {
    journal.append(Array.from({ length: Math.min(3, count - n + 1) }, (_, i) => named(n + i)));
  }
  journal.close();
  return journal.head;
}

/** Erases like a ledger: the `erased` entry comes first. */
export function erase(path: string, wanted: (entry: JournalEntry) => boolean): readonly SeqRange[] {
  const ranges = personalRanges(path, wanted);
  const journal = openJournal(path);
  journal?.append([event('erased', { entries: ranges })]);
  journal?.close();
  blankInJournal(path, ranges);
  return ranges;
}

export function entries(path: string, after = 0, options?: JournalReadOptions): JournalEntry[] {
  return [...readJournal(path, after, options)];
}

export function linesIn(path: string): string[] {
  return fs.readFileSync(path, 'utf8').split('\n').slice(0, -1);
}

export function putLines(path: string, lines: readonly string[]): void {
  fs.writeFileSync(path, lines.map((line) => `${line}\n`).join(''));
}
