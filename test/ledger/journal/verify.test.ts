import * as fc from 'fast-check';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import fs from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import { blankInJournal, createJournal, openJournal } from '../../../src/ledger/journal/journal.ts';
import { verifyJournal, type KeptHead } from '../../../src/ledger/journal/verify.ts';
import type { JournalHead } from '../../../src/core/ports/journal.ts';
import {
  BEGUN,
  erase,
  event,
  journalPath,
  LEDGER,
  linesIn,
  named,
  putLines,
  T0,
  writeJournal,
} from './support.ts';

let path: string;
let head: JournalHead;
let bytes: Buffer;
let lines: string[];

/** A journal of every kind of entry: with data, without, with erased data, with non-ASCII text. */
beforeEach(() => {
  path = journalPath();
  writeJournal(path, 14);
  erase(path, ({ seq }) => seq === 4 || seq === 10);
  const journal = openJournal(path)!;
  head = journal.append([named(16), named(17), named(18)]);
  journal.close();
  bytes = fs.readFileSync(path);
  lines = linesIn(path);
});

const verify = (kept?: KeptHead) => verifyJournal(path, { head: kept, patienceMs: 0 });
const whats = async (kept?: KeptHead) => (await verify(kept)).findings.map(({ what }) => what);
const sha256 = (text: string | Buffer) => createHash('sha256').update(text).digest('hex');

/** A line with a correct hash, which anybody can compute. */
function forge(line: string, change: (entry: Record<string, unknown>) => Record<string, unknown>): string {
  const [text = '', , personal = ''] = line.split('\t');
  const entry = JSON.stringify(change(JSON.parse(text) as Record<string, unknown>));
  return `${entry}\t${sha256(entry)}\t${personal}`;
}

describe('an unchanged journal', () => {
  test('is found intact, with and without a kept head', async () => {
    for (const kept of [undefined, head, { seq: head.seq, hash: head.hash }]) {
      expect(await verify(kept)).toEqual({
        entries: 18,
        firstSeq: 1,
        lastSeq: 18,
        head,
        findings: [],
        moreFindings: 0,
        remarks: [{ is: 'personalErased', count: 2 }],
        erased: 2,
      });
    }
  });

  test('is found intact against the head of any of its entries', async () => {
    for (const [index, line] of lines.entries()) {
      expect(await whats({ seq: index + 1, hash: line.split('\t')[1]!, ledger: LEDGER })).toEqual([]);
    }
  });

  test('is found intact while another process writes it in arbitrary pieces', async () => {
    const whole = journalPath();
    writeJournal(whole, 2_000);
    fs.writeFileSync(path, fs.readFileSync(whole).subarray(0, 10_007));
    const script = `const fs = require('fs'); const [from, to] = process.argv.slice(1);
      const bytes = fs.readFileSync(from); const fd = fs.openSync(to, 'a');
      for (let at = 10007; at < bytes.length; at += 1009) fs.writeSync(fd, bytes, at, Math.min(1009, bytes.length - at));`;
    const writer = spawn(process.execPath, ['-e', script, whole, path], { stdio: 'inherit' });
    const ended = once(writer, 'exit');
    let seen = 0;
    while (writer.exitCode === null) {
      const { findings, entries } = await verifyJournal(path, { patienceMs: 15_000 });
      expect(findings).toEqual([]);
      expect(entries).toBeGreaterThanOrEqual(seen);
      seen = entries;
    }
    expect(await ended).toEqual([0, null]);
    expect((await verifyJournal(path)).entries).toBe(2_000);
  });

  test('waits for a line that is being written', async () => {
    fs.writeFileSync(path, bytes.subarray(0, -100));
    const verified = verifyJournal(path, { head, patienceMs: 5_000 });
    fs.appendFileSync(path, bytes.subarray(-100));
    expect((await verified).findings).toEqual([]);
  });
});

describe('tampering found without a kept head', () => {
  test('includes any change of any single byte', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), async (at, by) => {
        const changed = Buffer.from(bytes);
        changed[at] = (changed[at] ?? 0) ^ by;
        fs.writeFileSync(path, changed);
        expect(await whats()).not.toEqual([]);
      }),
      { numRuns: 200 },
    );
  });

  test('includes any added or removed byte, except blanks of erased data', async () => {
    const blank = (at: number) => bytes[at] === 32 && (bytes[at - 1] === 32 || bytes[at + 1] === 32);
    const sound = [...bytes.keys()].filter((at) => !blank(at));
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...sound),
        fc.option(fc.integer({ min: 0, max: 255 })),
        async (at, inserted) => {
          const changed =
            inserted === null
              ? [bytes.subarray(0, at), bytes.subarray(at + 1)]
              : [bytes.subarray(0, at), Buffer.of(inserted), bytes.subarray(at)];
          fc.pre(!(inserted === 32 && blank(at - 1)));
          fs.writeFileSync(path, Buffer.concat(changed));
          expect(await whats()).not.toEqual([]);
        },
      ),
      { numRuns: 200 },
    );
  });

  test('includes any removed run of entries before the last', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(lines.length - 2), fc.integer({ min: 1, max: 20 }), async (from, wanted) => {
        putLines(path, lines.toSpliced(from, Math.min(wanted, lines.length - 1 - from)));
        expect(await whats()).not.toEqual([]);
      }),
    );
  });

  test('includes any two swapped entries, and any other order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(lines.length - 1), fc.nat(lines.length - 1), async (a, b) => {
        fc.pre(a !== b);
        putLines(path, lines.with(a, lines[b]!).with(b, lines[a]!));
        expect(await whats()).not.toEqual([]);
      }),
    );
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray([...lines.keys()], { minLength: lines.length }), async (order) => {
        fc.pre(order.some((index, at) => index !== at));
        putLines(
          path,
          order.map((index) => lines[index]!),
        );
        expect(await whats()).not.toEqual([]);
      }),
    );
  });

  test('includes any inserted line: a copy, garbage, or a forged entry with a correct hash', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(lines.length),
        fc.nat(lines.length - 1),
        fc.oneof(
          fc.constant((line: string) => line),
          fc.constant((line: string) => forge(line, (entry) => ({ ...entry, kind: 'forged' }))),
          fc.string().map((text) => () => text.replaceAll('\n', '')),
        ),
        async (at, of, make) => {
          // A line at the end with the right number and previous hash is a valid append.
          putLines(path, lines.toSpliced(at, 0, make(lines[of]!)));
          expect(await whats()).not.toEqual([]);
        },
      ),
      { numRuns: 120 },
    );
  });

  test('includes any single entry rewritten with a correct hash', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(lines.length - 2), async (at) => {
        const forged = forge(lines[at]!, (entry) => ({ ...entry, at: '2020-01-01T00:00:00.000Z' }));
        putLines(path, lines.with(at, forged));
        expect(await whats()).not.toEqual([]);
      }),
    );
  });

  test('includes blanked personal data without a record of their erasure', async () => {
    blankInJournal(path, [
      [2, 2],
      [6, 8],
    ]);
    expect(await whats()).toEqual([
      'The personal data of entry 2 is blank, but no later entry records an erasure.',
      'The personal data of entry 6 is blank, but no later entry records an erasure.',
      'The personal data of entry 8 is blank, but no later entry records an erasure.',
    ]);
    expect((await verify()).erased).toBe(5);
  });

  test('includes personal data that still exist although an entry records their erasure', async () => {
    const journal = openJournal(path)!;
    journal.append([event('erased', { entries: [[6, 8]] })]);
    journal.close();
    expect(await whats()).toEqual([
      'The personal data of entries 6 to 8 is still there, although a later entry records its erasure.',
    ]);
    blankInJournal(path, [[6, 8]]);
    expect(await whats()).toEqual([]);
  });

  test('includes an entry that claims to have erased later data', async () => {
    const journal = openJournal(path)!;
    journal.append([event('erased', { entries: [[19, 99]] }), named(20), named(21), named(22)]);
    journal.close();
    expect(await whats()).toEqual([]);
    blankInJournal(path, [[20, 22]]);
    expect(await whats()).toHaveLength(2);
  });
});

describe('tampering found with a kept head', () => {
  test('includes truncation at any byte', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), async (length) => {
        fs.writeFileSync(path, bytes.subarray(0, length));
        expect((await whats(head)).join()).toMatch(/cut off|empty/);
      }),
    );
    putLines(path, lines.slice(0, -3));
    expect(await whats(), 'without a head nothing is missed').toEqual([]);
  });

  test('includes a chain recomputed from any entry on', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(lines.length - 1), async (from) => {
        let prev = from === 0 ? '0'.repeat(64) : lines[from - 1]!.split('\t')[1]!;
        const forged = lines.slice(from).map((line, index) => {
          const made = forge(line, (entry) => ({
            ...entry,
            prev,
            ...(index === 0 && { facts: { ...(entry['facts'] as object), more: true } }),
          }));
          prev = made.split('\t')[1]!;
          return made;
        });
        putLines(path, [...lines.slice(0, from), ...forged]);
        expect(await whats(), 'a whole chain hangs together').toEqual([]);
        expect(await whats(head)).toEqual([expect.stringContaining('been rewritten')]);
      }),
    );
  });

  test('includes another journal in its place', async () => {
    fs.rmSync(path);
    const other = { ...BEGUN, facts: { ledger: 'ffffffff-0000-4000-8000-000000000000' } };
    const journal = createJournal(path, other, null);
    journal.append(Array.from({ length: 30 }, (_, n) => named(n)));
    journal.close();
    expect((await whats(head)).join()).toMatch(
      /belongs to ledger.*been rewritten|been rewritten.*belongs to ledger/,
    );
  });
});

describe('a journal that was restarted', () => {
  const anew = (after: JournalHead) => {
    fs.rmSync(path);
    const journal = createJournal(
      path,
      event('continued', { ledger: LEDGER, because: 'The file was lost.' }),
      after,
    );
    journal.append([named(1), named(2)]);
    journal.close();
  };

  test('is intact, with a remark on what it does not contain', async () => {
    anew(head);
    const { findings, remarks, firstSeq, entries } = await verify();
    expect(findings).toEqual([]);
    expect([firstSeq, entries]).toEqual([19, 3]);
    expect(remarks).toEqual([{ is: 'journalRestarted', seq: 19, because: 'The file was lost.' }]);
  });

  test('continues only the kept head of the last entry before it', async () => {
    anew(head);
    expect(await whats(head)).toEqual([]);
    expect(await whats({ ...head, hash: 'ab'.repeat(32) })).toEqual([
      expect.stringContaining('but from a different one'),
    ]);
  });

  test('cannot confirm a kept head of an earlier entry before it', async () => {
    anew(head);
    expect(await whats({ seq: 7, hash: 'ab'.repeat(32) })).toEqual([
      expect.stringContaining('Entry 7 of the kept head is not in this file, which starts with entry 19'),
    ]);
  });
});

describe('the report of a verification', () => {
  test.each([
    ['a change', () => lines.with(5, lines[5]!.replace('SCAN', 'SCAM')), 6, { is: 'entryChanged' }],
    ['a removal', () => lines.toSpliced(5, 3), 6, { is: 'entriesMissing', from: 6, to: 8, before: 9 }],
    ['a removal of one', () => lines.toSpliced(5, 1), 6, { is: 'entriesMissing', from: 6, to: 6, before: 7 }],
    ['a copy', () => lines.toSpliced(8, 0, lines[5]!), 9, { is: 'moved', seq: 6, after: 8 }],
    ['a lost beginning', () => lines.slice(4), 1, { is: 'beginningMissing', seq: 5 }],
    [
      'other data',
      () => lines.with(5, lines[5]!.replace('/scans', '/scams')),
      6,
      { is: 'personalReplaced', seq: 6 },
    ],
    [
      'a replaced entry',
      () =>
        lines.with(
          5,
          forge(lines[5]!, (e) => ({ ...e, kind: 'x' })),
        ),
      7,
      { is: 'replaced', seq: 7, after: 6 },
    ],
  ])('states the line and the problem: %s', async (_, change, line, flaw) => {
    putLines(path, change());
    expect((await verify()).findings).toMatchObject([
      { seq: expect.any(Number), line, fact: { is: 'journalFlaw', flaw } },
    ]);
  });

  test('is bounded for a completely damaged file', async () => {
    fs.writeFileSync(path, 'x\n'.repeat(5_000));
    const { findings, moreFindings, entries, head: none } = await verify();
    expect([findings.length, moreFindings, entries, none]).toEqual([1_000, 4_000, 0, null]);
  });

  test('names a missing journal', async () => {
    fs.rmSync(path);
    expect(await whats(head)).toEqual([`There is no journal at ${path}.`]);
  });

  test('names a line that is longer than any entry, and continues after it', async () => {
    putLines(path, lines.toSpliced(5, 0, 'x'.repeat(17 << 20)));
    expect((await verify(head)).findings).toMatchObject([
      { seq: null, line: 6, fact: { flaw: { is: 'lineTooLong' } } },
    ]);
  });

  test('remarks on times that do not increase', async () => {
    fs.rmSync(path);
    const journal = createJournal(path, BEGUN, null);
    journal.append([named(2), { ...named(3), at: T0 - 5_000 }, named(4)]);
    journal.close();
    const { findings, remarks } = await verify();
    expect(findings).toEqual([]);
    expect(remarks).toEqual([{ is: 'timesBackwards', count: 1, first: 3 }]);
  });

  test('does not come if the verification is stopped', async () => {
    fs.writeFileSync(path, `${'x'.repeat(1_000)}\n`.repeat(5_000));
    const stop = new AbortController();
    const verified = verifyJournal(path, { signal: stop.signal });
    await nextTurn();
    stop.abort(new Error('stopped'));
    await expect(verified).rejects.toThrow('stopped');
  });
});
