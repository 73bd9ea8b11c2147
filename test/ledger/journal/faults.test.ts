import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createJournal, openJournal, type Journal } from '../../../src/ledger/journal/journal.ts';
import { verifyJournal } from '../../../src/ledger/journal/verify.ts';
import { requirement } from '../../support/requires.ts';
import { BEGUN, entries, journalPath, named } from './support.ts';

const hasPrlimit = requirement(
  'prlimit',
  spawnSync('prlimit', ['--version']).status === 0,
  'it comes with util-linux',
);

afterEach(() => {
  vi.restoreAllMocks();
});

/** Limits the files of this process to `bytes` while `run` runs. */
function whereFilesEndAt(bytes: number, run: () => void): void {
  const prlimit = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync('prlimit', [`--pid=${process.pid}`, ...args]);
    if (status !== 0) throw new Error(String(stderr));
    return String(stdout).trim();
  };
  const usual = prlimit('--fsize', '--noheadings', '--output=SOFT');
  prlimit(`--fsize=${bytes}:`);
  try {
    run();
  } finally {
    prlimit(`--fsize=${usual}:`);
  }
}

function journalOfTwo(): { path: string; journal: Journal; bytes: Buffer } {
  const path = journalPath();
  const journal = createJournal(path, BEGUN, null);
  journal.append([named(2)]);
  return { path, journal, bytes: fs.readFileSync(path) };
}

const failure = (code: string) => () => {
  throw Object.assign(new Error(code), { code });
};

describe('a journal that cannot be written', () => {
  test.skipIf(!hasPrlimit)('is unchanged after a partial write', () => {
    const { path, journal, bytes } = journalOfTwo();
    const { head } = journal;
    let written = 0;
    const write = fs.writeSync;
    vi.spyOn(fs, 'writeSync').mockImplementation((...args: Parameters<typeof write>) => {
      const count = write(...args);
      written += count;
      return count;
    });
    whereFilesEndAt(bytes.length + 500, () => {
      expect(() => journal.append([named(3), named(4), named(5)])).toThrow(
        expect.objectContaining({ code: 'EFBIG' }),
      );
    });
    expect(written).toBe(500);
    expect(journal.head).toEqual(head);
    expect(fs.readFileSync(path)).toEqual(bytes);
    journal.append([named(3)]);
    journal.close();
    expect(entries(path)).toHaveLength(3);
  });

  test('cuts off the rest of a failed write before it writes again', () => {
    const { path, journal, bytes } = journalOfTwo();
    const { head } = journal;
    vi.spyOn(fs, 'fdatasyncSync').mockImplementationOnce(failure('EIO'));
    const truncate = vi.spyOn(fs, 'ftruncateSync').mockImplementation(failure('EIO'));
    expect(() => journal.append([named(3), named(4), named(5)])).toThrow('EIO');
    expect(fs.statSync(path).size).toBeGreaterThan(bytes.length);
    expect(journal.head).toEqual(head);
    expect(() => journal.append([named(6)]), 'nothing is written behind a ragged end').toThrow('EIO');
    truncate.mockRestore();
    journal.append([named(6)]);
    journal.close();
    expect(entries(path).map(({ facts }) => facts['document'])).toEqual([undefined, 2, 6]);
  });

  test('is whole for readers, and after a kill, while a probe is in it', async () => {
    const { path, journal, bytes } = journalOfTwo();
    const { head } = journal;
    vi.spyOn(fs, 'ftruncateSync').mockImplementation(failure('EIO'));
    expect(() => journal.tryWriting()).toThrow('EIO');
    vi.restoreAllMocks();
    expect(fs.statSync(path).size).toBeGreaterThan(bytes.length);
    expect(entries(path)).toHaveLength(2);
    expect(await verifyJournal(path, { patienceMs: 0 })).toMatchObject({
      entries: 2,
      findings: { length: 1 },
    });
    const killed = journalPath();
    fs.copyFileSync(path, killed);
    const reopened = openJournal(killed);
    expect(reopened?.head).toEqual(head);
    reopened?.close();
    journal.tryWriting();
    expect(fs.readFileSync(path)).toEqual(bytes);
    journal.close();
  });

  test('is not created if its first entry could not be synced', () => {
    const path = journalPath();
    vi.spyOn(fs, 'fsyncSync').mockImplementationOnce(failure('ENOSPC'));
    expect(() => createJournal(path, BEGUN, null)).toThrow('ENOSPC');
    expect(openJournal(path)).toBeNull();
    createJournal(path, BEGUN, null).close();
    expect(entries(path)).toHaveLength(1);
  });
});
