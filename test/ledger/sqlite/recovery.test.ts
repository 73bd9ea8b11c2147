import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readJournal } from '../../../src/ledger/journal/journal.ts';
import type { JournalHead } from '../../../src/core/ports/journal.ts';
import type { Ledger } from '../../../src/core/ports/ledger.ts';
import type { ListRow } from '../../../src/core/ports/ledgerReports.ts';
import { verifyJournal } from '../../../src/ledger/journal/verify.ts';
import { compareWithJournal } from '../../../src/ledger/sqlite/compare.ts';
import { admission, hashOf, later, OFFICE, rowsOf, seen, send } from '../../contract/ledger/support.ts';
import { filesOfEachTest, fill, withoutTimes } from './ledgerFiles.ts';

const { place, stories, open, using, during, ledgerFiles, removeLedger } = filesOfEachTest();

describe('a missing ledger', () => {
  it('is rebuilt from its journal with every name, state, file and pause', async () => {
    const before = await during(fill);
    removeLedger();
    const after = await during(async (ledger) => {
      const last = [...readJournal(place.journal, 0)].at(-1);
      expect(last).toMatchObject({ kind: 'rebuilt', facts: { because: expect.stringContaining('is gone') } });
      expect(await ledger.holds()).toMatchObject([{ reason: 'PAUSED', key: '/scans' }]);
      expect(await ledger.isFirstWatch('/scans')).toBe(false);
      expect(await ledger.nextSeq(OFFICE)).toBe(3);
      expect(await ledger.endpoints()).toMatchObject([{ name: 'Office' }, { name: null }]);
    });
    expect(withoutTimes(after)).toEqual(withoutTimes(before));
    expect(stories).toEqual([
      expect.stringMatching(/is gone\. The ledger was rebuilt\. Applied \d+ entries/),
    ]);
  });

  it('gives no image a second name, and knows which images were accepted', async () => {
    await during(fill);
    removeLedger();
    await during(async (ledger) => {
      const again = await ledger.admit(admission('a-again.jpg', 'a', { naming: ['another name'] }));
      expect(again).toMatchObject({ kind: 'duplicate', document: { name: 'doc-a', state: 'accepted' } });
    });
  });
});

describe('a crash between journal and ledger', () => {
  it('is repaired by applying the journal’s extra entries to the ledger', async () => {
    await during(fill);
    const kept = fs.readFileSync(place.path);
    const before = await during(async (ledger) => {
      const { document } = await ledger.admit(admission('last.jpg', 'last'));
      await ledger.begin(document.id, 7_000, 10);
    });
    fs.writeFileSync(place.path, kept);
    const after = await during(async (ledger) => {
      expect(await ledger.recover(8_000)).toBe(1);
      expect(await ledger.bySha256(OFFICE, hashOf('last'))).toMatchObject({
        state: 'queued',
        answerLost: true,
      });
    });
    expect(after).toHaveLength(before.length);
    expect(stories).toEqual([]);
  });

  it('is repaired by cutting off the journal’s incomplete last entry', async () => {
    const before = await during(fill);
    fs.appendFileSync(place.journal, '{"seq":99,"at":"20');
    expect(withoutTimes(await during())).toEqual(withoutTimes(before));
    expect((await verifyJournal(place.journal)).findings).toEqual([]);
  });
});

describe('a ledger that is older than its journal', () => {
  /** The state after a kill: everything since the last checkpoint is in the WAL beside the file. */
  async function killed(work: (ledger: Ledger) => Promise<unknown>): Promise<ListRow[]> {
    const kept = path.join(place.dir, 'kept');
    const ledger = await open();
    await work(ledger);
    const rows = await rowsOf(ledger);
    fs.mkdirSync(kept);
    for (const file of [...ledgerFiles(), place.journal])
      if (fs.existsSync(file)) fs.copyFileSync(file, path.join(kept, path.basename(file)));
    await ledger.close();
    removeLedger();
    for (const name of fs.readdirSync(kept))
      fs.copyFileSync(path.join(kept, name), path.join(place.dir, name));
    return rows;
  }

  it.each([
    ['its log is gone', () => fs.rmSync(`${place.path}-wal`)],
    ['its log is empty', () => fs.truncateSync(`${place.path}-wal`, 0)],
  ])('because %s in its first hour catches up', async (_what, damage) => {
    const before = await killed(fill);
    damage();
    fs.rmSync(`${place.path}-shm`, { force: true });
    expect(withoutTimes(await during())).toEqual(withoutTimes(before));
    await during(async (ledger) => {
      const again = await ledger.admit(admission('again.jpg', 'b', { naming: ['another name'] }));
      expect(again.document.name).toBe('doc-b');
    });
    expect(fs.readdirSync(place.dir).filter((name) => name.includes('journal'))).toEqual(['ledger.journal']);
  });

  it('is rebuilt if an old copy was restored and the journal was restarted since', async () => {
    await during(async (ledger) => {
      await ledger.admit(admission('a.jpg', 'a'));
      await ledger.backup(path.join(place.dir, 'old.db'));
      await ledger.admit(admission('b.jpg', 'b'));
    });
    fs.rmSync(place.journal);
    const before = await during((ledger) => ledger.admit(admission('c.jpg', 'c')));
    removeLedger();
    fs.copyFileSync(path.join(place.dir, 'old.db'), place.path);
    expect(withoutTimes(await during())).toEqual(withoutTimes(before));
    expect(stories.join()).toContain('is older than its journal');
  });

  it('remembers that an accepted document may have been stored twice', async () => {
    await during(async (ledger) => {
      const { document } = await ledger.admit(admission('a.jpg', 'a'));
      const transition = later(0, { answerLost: true });
      await send(ledger, document.id, { outcome: 'unknown', httpStatus: null, transition });
      await send(ledger, document.id);
    });
    fs.rmSync(place.journal);
    await during();
    expect((await compareWithJournal(place.path, place.journal)).findings).toEqual([]);
    fs.rmSync(place.path);
    await during(async (ledger) =>
      expect(await ledger.bySha256(OFFICE, hashOf('a'))).toMatchObject({
        state: 'accepted',
        answerLost: true,
      }),
    );
  });

  it('is rebuilt from a backup, past a damaged one, if no other file is left', async () => {
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
    expect(stories.join()).toContain(`Recovered 0 records from ${damaged}`);
    // No number is given twice, although the last entries have left no row.
    const [first] = [...readJournal(place.journal, 0)];
    expect(first?.seq).toBeGreaterThan(head?.seq ?? 0);
    expect(fs.readFileSync(place.journal, 'utf8')).toContain(`"prev":"${head?.hash}"`);
  });
});

describe('a missing or damaged journal', () => {
  const DAMAGE: [string, () => void][] = [
    ['gone', () => fs.rmSync(place.journal)],
    ['empty', () => fs.writeFileSync(place.journal, '')],
    ['cut short', () => fs.truncateSync(place.journal, 2_000)],
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

  it('restarts with the numbers that names have used, and with interrupted uploads as possibly stored', async () => {
    await during(async (ledger) => {
      await fill(ledger);
      const waiting = await ledger.bySha256(OFFICE, hashOf('e'));
      await ledger.begin(waiting!.id, 7_000, 10);
    });
    fs.rmSync(place.journal);
    await during();
    fs.rmSync(place.path);
    await during(async (ledger) => {
      expect(await ledger.nextSeq(OFFICE)).toBe(3);
      expect(await ledger.recover(8_000)).toBe(1);
      const sent = { state: 'queued', answerLost: true, attempts: 1 };
      expect(await ledger.bySha256(OFFICE, hashOf('e'))).toMatchObject(sent);
    });
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
    expect(stories.join()).toMatch(/Recovered \d+ records from/);
  });
});

describe('a power failure', () => {
  it('that loses the last commits of the ledger loses nothing that was acknowledged', async () => {
    await during(fill);
    const ledger = await open();
    const early = ledgerFiles().map(
      (file) => [file, fs.existsSync(file) ? fs.readFileSync(file) : null] as const,
    );
    const { document } = await ledger.admit(admission('last.jpg', 'last'));
    await ledger.markLost(document.id, 'Gone.', 7_000);
    expect(await ledger.erase([document.id], 8_000)).toBe(1);
    const before = await rowsOf(ledger);
    await ledger.close();
    for (const [file, bytes] of early) {
      if (bytes) fs.writeFileSync(file, bytes);
      else fs.rmSync(file, { force: true });
    }
    expect(withoutTimes(await during())).toEqual(withoutTimes(before));
    expect((await verifyJournal(place.journal)).findings).toEqual([]);
    expect(stories).toEqual([]);
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

it('an erasure covers data that was recorded in the same commit', async () => {
  await using(async (ledger) => {
    const { id } = (await ledger.admit(admission('a.jpg', 'a'))).document;
    await send(ledger, id);
    const copied = ledger.admit(admission('secret.jpg', 'a'));
    // The copy is queued just before the erasure, and would be written together with it.
    expect(await ledger.erase([id], 5_000)).toBe(1);
    await copied;
  });
  const kinds = [...readJournal(place.journal, 0)].map(({ kind }) => kind);
  expect(kinds.slice(-2)).toEqual(['file', 'erased']);
  expect(fs.readFileSync(place.journal, 'utf8')).not.toContain('secret');
  expect((await verifyJournal(place.journal)).findings).toEqual([]);
});

it('the ledger opens even if its backups cannot be listed; the next backup reports that', async () => {
  fs.writeFileSync(path.join(place.dir, 'backups'), 'a file');
  await using(async (ledger) => {
    expect(await ledger.lastBackup()).toBeNull();
    await expect(ledger.backup(null)).rejects.toMatchObject({ code: 'BACKUP_FAILED' });
  });
});
