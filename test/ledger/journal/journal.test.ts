import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createJournal, openJournal } from '../../../src/ledger/journal/journal.ts';
import {
  BEGUN,
  entries,
  event,
  journalPath,
  LEDGER,
  linesIn,
  named,
  putLines,
  T0,
  writeJournal,
} from './support.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

describe('a journal', () => {
  test('consists of lines of three fields, hashed over their exact bytes', () => {
    const path = journalPath();
    const journal = createJournal(path, BEGUN, null);
    const head = journal.append([event('named', { name: 'a\tb\n"ü" 😀' }, { path: '/scans/a\tb\n.jpg' })]);
    journal.close();
    const [[first, firstHash, none], [second, secondHash, personal]] = linesIn(path).map((l) =>
      l.split('\t'),
    ) as [[string, string, string], [string, string, string]];
    expect(linesIn(path).map((line) => line.split('\t').length)).toEqual([3, 3]);
    expect(first).toBe(
      `{"seq":1,"at":"2026-03-14T08:30:00.000Z","kind":"begun","facts":{"ledger":"${LEDGER}"},"personal":null,"prev":"${'0'.repeat(64)}"}`,
    );
    expect(none).toBe('');
    expect(firstHash).toBe(sha256(first));
    expect(secondHash).toBe(sha256(second));
    expect(JSON.parse(second)).toMatchObject({ seq: 2, prev: firstHash, personal: sha256(personal) });
    expect(JSON.parse(personal)).toEqual({
      salt: expect.stringMatching(/^[0-9a-f]{32}$/),
      path: '/scans/a\tb\n.jpg',
    });
    expect(head).toEqual({ ledger: LEDGER, seq: 2, hash: secondHash });
    expect(entries(path)[1]).toEqual({
      seq: 2,
      hash: secondHash,
      kind: 'named',
      at: T0,
      facts: { name: 'a\tb\n"ü" 😀' },
      personal: { path: '/scans/a\tb\n.jpg' },
      line: { entry: second, personal },
    });
  });

  test('uses a separate salt for each entry, so that equal data have different digests', () => {
    const path = journalPath();
    const journal = createJournal(path, BEGUN, null);
    journal.append([event('x', {}, { path: 'a' }), event('x', {}, { path: 'a' })]);
    journal.close();
    const digests = linesIn(path)
      .slice(1)
      .map((line) => /"personal":"(\w+)"/.exec(line)?.[1]);
    expect(new Set(digests).size).toBe(2);
  });

  test('gives each entry its own time, even if the clock goes back', () => {
    const path = journalPath();
    const journal = createJournal(path, BEGUN, null);
    const times = [T0, T0, T0 + 1, T0, T0 + 86_400_000];
    journal.append(times.map((at) => ({ ...event('act'), at })));
    journal.close();
    expect(entries(path).map(({ at }) => at)).toEqual([T0, ...times]);
  });

  test('is private, and no other file is left beside it', () => {
    const path = journalPath();
    writeJournal(path, 1);
    expect(fs.statSync(path).mode & 0o777).toBe(0o600);
    expect(fs.readdirSync(dirname(path))).toEqual(['ledger.journal']);
  });

  test('has one name again after a kill that left it with two', () => {
    const path = journalPath();
    const head = writeJournal(path, 3);
    fs.linkSync(path, `${path}.new`);
    const journal = openJournal(path);
    expect(journal?.head).toEqual(head);
    journal?.close();
    expect(fs.readdirSync(dirname(path))).toEqual(['ledger.journal']);
  });

  test('never replaces another file, except an empty one', () => {
    const path = journalPath();
    writeJournal(path, 3);
    const before = fs.readFileSync(path);
    expect(() => createJournal(path, BEGUN, null)).toThrow(expect.objectContaining({ code: 'EEXIST' }));
    expect(fs.readFileSync(path)).toEqual(before);
    fs.truncateSync(path);
    expect(openJournal(path)).toBeNull();
    createJournal(path, BEGUN, null).close();
    expect(entries(path)).toHaveLength(1);
  });

  test('gets its name only once all its first entries are written', () => {
    const path = journalPath();
    function* told() {
      yield [named(1), named(2)];
      expect(fs.existsSync(path)).toBe(false);
      yield [named(3)];
      throw new Error('a kill');
    }
    expect(() => createJournal(path, BEGUN, null, { told: told() })).toThrow('a kill');
    expect(fs.readdirSync(dirname(path))).toEqual([]);
    createJournal(path, BEGUN, null, { told: [[named(1), named(2)], [], [named(3)]] }).close();
    expect(entries(path).map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
  });

  test('that was restarted continues from the last known head', () => {
    const path = journalPath();
    const after = { ledger: LEDGER, seq: 41, hash: 'ab'.repeat(32) };
    const first = event('continued', { ledger: LEDGER, because: 'lost' });
    const journal = createJournal(path, first, after);
    journal.append([named(1)]);
    journal.close();
    expect(entries(path).map(({ seq }) => seq)).toEqual([42, 43]);
    expect(linesIn(path)[0]).toContain(`"prev":"${after.hash}"`);
    const reopened = openJournal(path)!;
    expect(reopened.head).toMatchObject({ ledger: LEDGER, seq: 43 });
    reopened.close();
    expect(entries(path, 42).map(({ seq }) => seq)).toEqual([43]);
  });

  test('writes nothing of an append with an event that cannot be written', () => {
    const path = journalPath();
    const journal = createJournal(path, BEGUN, null);
    const { head } = journal;
    expect(() => journal.append([named(2), { ...named(3), at: NaN }])).toThrow(RangeError);
    expect(() => journal.append([event('huge', { text: 'x'.repeat(17 << 20) })])).toThrow('too long');
    expect(() => journal.append([event('huge', { text: '€'.repeat(6 << 20) })])).toThrow('too long');
    expect(journal.head).toEqual(head);
    journal.append([named(2)]);
    journal.close();
    expect(entries(path)).toHaveLength(2);
  });
});

describe('opening a journal', () => {
  test('finds a commit completely or not at all, wherever a crash truncated it', () => {
    const path = journalPath();
    const journal = createJournal(path, BEGUN, null);
    journal.append([named(2)]);
    const whole = fs.statSync(path).size;
    const { head } = journal;
    journal.append([named(3), named(4), named(5)]);
    journal.close();
    const bytes = fs.readFileSync(path);
    // Around the ends of the lines at each byte.
    const isNearEnd = (at: number): boolean => bytes.subarray(Math.max(0, at - 3), at + 3).includes(10);
    for (let cut = whole; cut < bytes.length; cut += 1) {
      if (cut % 7 !== 0 && !isNearEnd(cut)) continue;
      fs.writeFileSync(path, bytes.subarray(0, cut));
      expect(entries(path)).toHaveLength(2);
      const reopened = openJournal(path)!;
      expect(reopened.head).toEqual(head);
      reopened.close();
      expect(fs.statSync(path).size).toBe(whole);
    }
    fs.writeFileSync(path, bytes);
    expect(entries(path)).toHaveLength(5);
  });

  test('refuses a last line that is complete but wrong, and keeps it unchanged', () => {
    const path = journalPath();
    writeJournal(path, 4);
    const bytes = fs.readFileSync(path);
    const last = bytes.lastIndexOf(10, bytes.length - 2) + 1;
    for (let at = last; at < bytes.length - 1; at += 3) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      fs.writeFileSync(path, changed);
      expect(() => openJournal(path), `byte ${at}`).toThrow(
        expect.objectContaining({ code: 'JOURNAL_DAMAGED' }),
      );
      expect(fs.readFileSync(path)).toEqual(changed);
    }
  });

  test('refuses a file without any entry', () => {
    const path = journalPath();
    for (const content of [Buffer.alloc(4096), '{"seq":1', '\n', 'hello\n', '\n\n']) {
      fs.writeFileSync(path, content);
      expect(() => openJournal(path)).toThrow(expect.objectContaining({ code: 'JOURNAL_DAMAGED' }));
    }
  });

  test('reads only its first line and its end', () => {
    const path = journalPath();
    const head = writeJournal(path, 4);
    // The middle of this file of 400 GB is a hole: reading it would take minutes.
    const lines = linesIn(path);
    const fd = fs.openSync(path, 'r+');
    const tail = Buffer.from(`\n${lines[3]}\n`);
    fs.writeSync(fd, tail, 0, tail.length, 4e11);
    fs.closeSync(fd);
    const start = performance.now();
    const journal = openJournal(path)!;
    expect(performance.now() - start).toBeLessThan(10_000);
    expect(journal.head).toEqual(head);
    journal.close();
  });

  test('finds a last entry that is longer than one read', () => {
    const path = journalPath();
    const journal = createJournal(path, event('begun', { ledger: LEDGER, note: 'x'.repeat(3 << 20) }), null);
    const head = journal.append([
      event('named', { note: 'y'.repeat(5 << 20) }),
      event('z', {}, { a: 'z'.repeat(3e6) }),
    ]);
    journal.close();
    const reopened = openJournal(path)!;
    expect(reopened.head).toEqual(head);
    reopened.close();
    expect(entries(path).map(({ seq }) => seq)).toEqual([1, 2, 3]);
  });
});

describe('reading a journal', () => {
  test('can begin after any entry of a large file', () => {
    const path = journalPath();
    const count = 2_000;
    writeJournal(path, count);
    expect(fs.statSync(path).size).toBeGreaterThan(400_000);
    for (const after of [0, 1, 2, 3, 777, 1_000, 1_998, 1_999]) {
      const [first, ...rest] = entries(path, after);
      expect(first?.seq).toBe(after + 1);
      expect(rest).toHaveLength(count - after - 1);
    }
    expect(entries(path, count)).toEqual([]);
    expect(entries(path, count + 5)).toEqual([]);
  });

  test('stops at the first damage; leniently, it returns every complete entry once, and reports the damage', () => {
    const path = journalPath();
    writeJournal(path, 20);
    const lines = linesIn(path);
    putLines(path, [
      ...lines.slice(0, 4),
      'rubbish',
      ...lines.slice(5, 8),
      lines[2]!,
      ...lines.slice(8, 12),
      ...lines.slice(13, 15),
      lines[15]!.replace('/scans', '/scams'),
      ...lines.slice(16),
    ]);
    expect(() => entries(path)).toThrow(expect.objectContaining({ code: 'JOURNAL_DAMAGED' }));
    expect(() => entries(path)).toThrow('at entry 5:');
    const faults: number[] = [];
    const read = entries(path, 0, { lenient: true, onFault: ({ after }) => faults.push(after) });
    expect(read.map(({ seq }) => seq)).toEqual([
      1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12, 14, 15, 16, 17, 18, 19, 20,
    ]);
    expect(faults).toEqual([4, 8, 12, 15]);
    expect(read.find(({ seq }) => seq === 16)?.personal).toBeNull();
  });
});
