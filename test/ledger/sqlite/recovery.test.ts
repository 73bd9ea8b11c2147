import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readJournal } from '../../../src/ledger/journal/journal.ts';
import type { JournalHead } from '../../../src/core/ports/journal.ts';
import type { Ledger } from '../../../src/core/ports/ledger.ts';
import { verifyJournal } from '../../../src/ledger/journal/verify.ts';
import { compareWithJournal } from '../../../src/ledger/sqlite/compare.ts';
import { admission, hashOf, OFFICE, rowsOf, seen, send } from '../../contract/ledger/support.ts';
import { filesOfEachTest, fill, withoutTimes } from './ledgerFiles.ts';

const { place, stories, using, during, ledgerFiles, removeLedger } = filesOfEachTest();

describe('a missing ledger', () => {
  it('is rebuilt from its journal with every name, state, file and pause', async () => {
    const before = await during(fill);
    removeLedger();
    const after = await during(async (ledger) => {
      const last = [...readJournal(place.journal, 0)].at(-1);
      expect(last).toMatchObject({
        kind: 'rebuilt',
        facts: { because: expect.stringContaining('"ledgerGone"') },
      });
      expect(await ledger.holds()).toMatchObject([{ reason: 'PAUSED', key: '/scans' }]);
      expect(await ledger.isFirstWatch('/scans')).toBe(false);
      expect(await ledger.nextSeq(OFFICE)).toBe(3);
      expect(await ledger.endpoints()).toMatchObject([{ name: 'Office' }, { name: null }]);
    });
    expect(withoutTimes(after)).toEqual(withoutTimes(before));
    expect(stories).toEqual([expect.stringMatching(/"ledgerGone".*"ledgerRebuilt".*"entriesApplied"/)]);
  });
});

describe('a ledger of which nothing is left', () => {
  it('is rebuilt from a backup, past a damaged one', async () => {
    let head: JournalHead | undefined;
    const before = await during(async (ledger) => {
      await fill(ledger);
      await send(ledger, (await ledger.admit(admission('z.jpg', 'z'))).document.id);
      ({ head } = await ledger.backup(null));
    });
    const damaged = path.join(place.dir, 'backups', 'ledger-20990101T000000000Z.db');
    fs.writeFileSync(damaged, 'no ledger');
    for (const file of [...ledgerFiles(), place.journal]) fs.rmSync(file, { force: true });
    expect(withoutTimes(await during())).toEqual(withoutTimes(before));
    expect(stories.join()).toContain(`"rowsRecovered","file":${JSON.stringify(damaged)},"count":0`);
    // No number is given twice, although the last entries have left no row.
    const [first] = [...readJournal(place.journal, 0)];
    expect(first?.seq).toBeGreaterThan(head?.seq ?? 0);
    expect(fs.readFileSync(place.journal, 'utf8')).toContain(`"prev":"${head?.hash}"`);
  });
});

describe('a missing or damaged journal', () => {
  const DAMAGE: [string, () => void][] = [
    ['gone', () => fs.rmSync(place.journal)],
    [
      'overwritten at its end',
      () => fs.writeFileSync(place.journal, `${fs.readFileSync(place.journal, 'utf8').slice(0, -40)}xx\n`),
    ],
  ];

  it.each(DAMAGE)(
    '(%s) is continued in a new file, from which the ledger can be rebuilt',
    async (_, damage) => {
      const before = await during(fill);
      damage();
      expect(withoutTimes(await during())).toEqual(withoutTimes(before));
      expect(stories).toHaveLength(1);
      expect((await verifyJournal(place.journal)).findings).toEqual([]);
      expect([...readJournal(place.journal, 0)][0]).toMatchObject({ kind: 'continued' });
      fs.rmSync(place.path);
      expect(withoutTimes(await during())).toEqual(withoutTimes(before));
    },
  );

  it('is restarted with the same rules for originals, in any order of folders', async () => {
    await during(async (ledger) => {
      for (const folder of ['/scans/b', '/scans/a'])
        await ledger.setOriginalsRule(folder, 'archive', 'include', 1_000);
      // The document comes before its folder in the journal.
      const { identity } = seen('x.jpg');
      await ledger.admit(admission('a.jpg', 'a', { file: { folder: '/scans/a', path: 'a.jpg', identity } }));
    });
    fs.rmSync(place.journal);
    await during();
    expect((await compareWithJournal(place.path, place.journal)).findings).toEqual([]);
  });

  it('does not prevent the readable part of a damaged ledger from being recovered', async () => {
    await during(async (ledger) => {
      await fill(ledger);
      for (let n = 0; n < 300; n += 1) await ledger.admit(admission(`${n}.jpg`, `image ${n}`));
    });
    fs.rmSync(place.journal);
    const size = fs.statSync(place.path).size;
    const handle = fs.openSync(place.path, 'r+');
    fs.writeSync(handle, Buffer.alloc(4_096, 0x5a), 0, 4_096, size - 3 * 4_096);
    fs.closeSync(handle);
    await during(async (ledger) => {
      expect(await ledger.bySha256(OFFICE, hashOf('a'))).toMatchObject({ name: 'doc-a', state: 'accepted' });
    });
    expect(stories.join()).toMatch(/"rowsRecovered"/);
  });
});

async function admitAll(ledger: Ledger, ...names: string[]): Promise<void> {
  for (const name of names) await ledger.admit(admission(`${name}.jpg`, name));
}

async function namesIn(ledger: Ledger): Promise<(string | null)[]> {
  return (await rowsOf(ledger)).map(({ name }) => name).sort();
}

it('the readable part of a journal is used if it is ahead of the ledger and damaged in between', async () => {
  await using((ledger) => admitAll(ledger, 'a'));
  const before = path.join(place.dir, 'before');
  fs.copyFileSync(place.path, before);
  await using((ledger) => admitAll(ledger, 'b', 'c', 'd'));
  fs.copyFileSync(before, place.path);
  const lines = fs.readFileSync(place.journal, 'latin1').split('\n');
  const damaged = lines.findIndex((line) => line.includes('c.jpg'));
  expect(damaged).toBeGreaterThan(0);
  lines[damaged] = lines[damaged]!.replace('"kind"', '"kinD"');
  fs.writeFileSync(place.journal, lines.join('\n'), 'latin1');
  const lastSeq = lines.length - 1;

  const names = await using(namesIn);
  expect(names).toHaveLength(3);
  expect(stories).toHaveLength(1);
  // Everything that had a number in the old file keeps it.
  const [first] = readJournal(place.journal, 0);
  expect(first).toMatchObject({ kind: 'continued', seq: lastSeq + 1 });
  expect(await using(namesIn)).toEqual(names);
});

it('a recreated ledger knows the file systems of its folders, and doubts about them', async () => {
  await using(async (ledger) => {
    await ledger.setFolderMark('/scans', 'the share', 1_000);
    await ledger.setFolderMark('/other', 'a disk', 2_000);
    await ledger.doubtFolderMark('/other', 'a disk\nand what it held');
  });
  fs.rmSync(place.path);
  await using(async (ledger) => {
    expect(await ledger.folderMark('/scans')).toBe('the share');
    expect(await ledger.folderMark('/other')).toBe('a disk\nand what it held');
  });
});

it('the ledger opens even if its backups cannot be listed; the next backup reports that', async () => {
  fs.writeFileSync(path.join(place.dir, 'backups'), 'a file');
  await using(async (ledger) => {
    expect(await ledger.lastBackup()).toBeNull();
    await expect(ledger.backup(null)).rejects.toMatchObject({ code: 'BACKUP_FAILED' });
  });
});
