/** Combinations of damage and kills that recovery.test.ts does not cover. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { readJournal } from '../../../src/ledger/journal/journal.ts';
import { verifyJournal } from '../../../src/ledger/journal/verify.ts';
import type { Document } from '../../../src/core/domain/document.ts';
import type { Ledger } from '../../../src/core/ports/ledger.ts';
import { admission, rowsOf, send } from '../../contract/ledger/support.ts';
import { filesOfEachTest } from './ledgerFiles.ts';

const { place, stories, open, using: during } = filesOfEachTest();

async function admitAll(ledger: Ledger, ...names: string[]): Promise<Document[]> {
  const documents = [];
  for (const name of names) documents.push((await ledger.admit(admission(`${name}.jpg`, name))).document);
  return documents;
}

async function namesIn(ledger: Ledger): Promise<(string | null)[]> {
  return (await rowsOf(ledger)).map(({ name }) => name).sort();
}

it('the readable part of a journal is used if it is ahead of the ledger and damaged in between', async () => {
  await during((ledger) => admitAll(ledger, 'a'));
  const before = path.join(place.dir, 'before');
  fs.copyFileSync(place.path, before);
  await during((ledger) => admitAll(ledger, 'b', 'c', 'd'));
  fs.copyFileSync(before, place.path);
  const lines = fs.readFileSync(place.journal, 'latin1').split('\n');
  const damaged = lines.findIndex((line) => line.includes('"kind":"named"') && line.includes('c.jpg'));
  expect(damaged).toBeGreaterThan(0);
  lines[damaged] = lines[damaged]!.replace('"named"', '"nameD"');
  fs.writeFileSync(place.journal, lines.join('\n'), 'latin1');
  const lastSeq = lines.length - 1;

  const names = await during(namesIn);
  expect(names).toHaveLength(3);
  expect(stories.join(' ')).toContain('is broken at entry');
  // Everything that had a number in the old file keeps it.
  const [first] = readJournal(place.journal, 0);
  expect(first).toMatchObject({ kind: 'continued', seq: lastSeq + 1 });
  expect(await during(namesIn)).toEqual(names);
});

it('a recreated ledger knows the file systems of its folders', async () => {
  await during(async (ledger) => {
    await ledger.setFolderMark('/scans', 'the share', 1_000);
    await ledger.setFolderMark('/other', 'a disk', 2_000);
    await ledger.doubtFolderMark('/other', 'a disk\nand what it held');
  });
  fs.rmSync(place.path);
  await during(async (ledger) => {
    expect(await ledger.folderMark('/scans')).toBe('the share');
    expect(await ledger.folderMark('/other')).toBe('a disk');
  });
});

it('a kill during a rebuild does not reset the ledger', async () => {
  const names = await during(async (ledger) => {
    await admitAll(ledger, 'a', 'b', 'c');
    await ledger.backup(null);
    return namesIn(ledger);
  });
  fs.rmSync(place.journal);
  const bytes = fs.readFileSync(place.path);
  bytes.fill(0xaa, 0, 512);
  fs.writeFileSync(place.path, bytes);
  // Something that can't be removed is in the way of the rebuilt ledger, so the rebuild ends there, as a kill would end it.
  fs.mkdirSync(path.join(`${place.path}.new`, 'x'), { recursive: true });
  await expect(open()).rejects.toThrow('ledger.db.new');
  expect(fs.existsSync(place.path)).toBe(false);
  fs.rmSync(`${place.path}.new`, { recursive: true });

  expect(await during(namesIn)).toEqual(names);
  expect(stories.join(' ')).toContain('The ledger was rebuilt.');
  expect(await during(namesIn)).toEqual(names);
});

it.each(['before it has its name', 'before the ledger knows of it'])(
  'a kill during the restart of a lost journal, %s, takes nothing from the ledger',
  async (moment) => {
    const names = await during(async (ledger) => {
      await admitAll(ledger, 'a', 'b', 'c');
      return namesIn(ledger);
    });
    const before = fs.readFileSync(place.path);
    fs.rmSync(place.journal);
    expect(await during(namesIn)).toEqual(names);
    fs.writeFileSync(place.path, before);
    if (moment === 'before it has its name') {
      const [first = ''] = fs.readFileSync(place.journal, 'utf8').split('\n');
      fs.rmSync(place.journal);
      fs.writeFileSync(`${place.journal}.new`, `${first}\n`);
    }

    expect(await during(namesIn)).toEqual(names);
    expect((await verifyJournal(place.journal)).findings).toEqual([]);
    expect(fs.existsSync(`${place.journal}.new`)).toBe(false);
  },
);

it('an erasure covers data that was recorded in the same commit', async () => {
  await during(async (ledger) => {
    const [document] = await admitAll(ledger, 'a');
    const id = document!.id;
    await send(ledger, id);
    const copied = ledger.admit(admission('secret.jpg', 'a'));
    // The copy is queued just before the erasure, and would be written together with it.
    expect(await ledger.erase([id], 5_000)).toBe(1);
    await copied;
  });
  const kinds = [...readJournal(place.journal, 0)].map(({ kind }) => kind);
  expect(kinds.slice(-2)).toEqual(['sighted', 'erased']);
  expect(fs.readFileSync(place.journal, 'utf8')).not.toContain('secret');
  expect((await verifyJournal(place.journal)).findings).toEqual([]);
});

it('the ledger opens even if its backups cannot be listed; the next backup reports that', async () => {
  fs.writeFileSync(path.join(place.dir, 'backups'), 'a file');
  await during(async (ledger) => {
    expect(await ledger.lastBackup()).toBeNull();
    await expect(ledger.backup(null)).rejects.toMatchObject({ code: 'BACKUP_FAILED' });
  });
});
