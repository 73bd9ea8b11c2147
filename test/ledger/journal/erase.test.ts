import fs from 'node:fs';
import { describe, expect, test } from 'vitest';
import { blankInJournal, personalRanges } from '../../../src/ledger/journal/journal.ts';
import { entries, erase, journalPath, linesIn, putLines, writeJournal } from './support.ts';

const withPersonal = (path: string) => entries(path).flatMap(({ seq, personal }) => (personal ? [seq] : []));

describe('erasing personal data', () => {
  test('overwrites them in place and leaves every other byte unchanged', () => {
    const path = journalPath();
    writeJournal(path, 11);
    const before = linesIn(path);
    const ranges = erase(path, ({ facts }) => facts['document'] === 4 || facts['document'] === 6);
    // Entry 5 is in between and never had any.
    expect(ranges).toEqual([[4, 6]]);
    const after = linesIn(path);
    for (const [index, line] of before.entries()) {
      const [entry, hash, personal = ''] = line.split('\t');
      const erased = index + 1 === 4 || index + 1 === 6;
      expect(after[index]).toBe(
        [entry, hash, erased ? ' '.repeat(Buffer.byteLength(personal)) : personal].join('\t'),
      );
    }
    expect(withPersonal(path)).toEqual([2, 8, 10]);
    expect(entries(path).at(-1)).toMatchObject({ seq: 12, kind: 'erased', facts: { entries: [[4, 6]] } });
    expect(fs.readFileSync(path, 'utf8')).not.toContain('/scans/Büro/4.jpg');
  });

  test('never joins two ranges across data that are kept', () => {
    const path = journalPath();
    writeJournal(path, 20);
    expect(erase(path, ({ seq }) => seq === 4 || seq === 8 || seq >= 18)).toEqual([
      [4, 4],
      [8, 8],
      [18, 20],
    ]);
    expect(withPersonal(path)).toEqual([2, 6, 10, 12, 14, 16]);
  });

  test('finds none if there are none', () => {
    const path = journalPath();
    writeJournal(path, 5);
    expect(personalRanges(path, ({ seq }) => seq === 3)).toEqual([]);
    const bytes = fs.readFileSync(path);
    blankInJournal(path, []);
    blankInJournal(path, [[3, 3]]);
    expect(fs.readFileSync(path)).toEqual(bytes);
  });

  test('can be finished and repeated after a kill, from the ranges alone', () => {
    const path = journalPath();
    writeJournal(path, 12);
    const ranges = personalRanges(path, ({ seq }) => seq > 3 && seq < 9);
    blankInJournal(path, [[4, 4]]);
    blankInJournal(path, ranges);
    expect(withPersonal(path)).toEqual([2, 10, 12]);
    const erased = fs.readFileSync(path);
    blankInJournal(path, ranges);
    expect(fs.readFileSync(path)).toEqual(erased);
  });

  test('finishes an overwrite that a power failure interrupted', () => {
    const path = journalPath();
    writeJournal(path, 12);
    putLines(
      path,
      linesIn(path).map((line, index) =>
        index === 5 ? line.replace(/\{"salt":"\w{9}/, (t) => ' '.repeat(t.length)) : line,
      ),
    );
    blankInJournal(path, [[6, 6]]);
    expect(withPersonal(path)).toEqual([2, 4, 8, 10, 12]);
  });

  test('is refused for a damaged journal', () => {
    const path = journalPath();
    writeJournal(path, 12);
    putLines(path, linesIn(path).toSpliced(6, 1));
    expect(() => personalRanges(path, () => true)).toThrow(
      expect.objectContaining({ code: 'JOURNAL_DAMAGED' }),
    );
  });
});
