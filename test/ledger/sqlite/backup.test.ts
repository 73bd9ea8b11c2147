import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Ledger } from '../../../src/core/ports/ledger.ts';
import { admission } from '../../contract/ledger/support.ts';
import { restoreLedger } from '../../support/restoreLedger.ts';
import { clock, createPlace } from './place.ts';

let place: Awaited<ReturnType<typeof createPlace>>;
let backups: string;
beforeEach(async () => {
  place = await createPlace();
  backups = path.join(place.dir, 'backups');
});
afterEach(() => place.remove());

/** Runs `work` on the ledger and closes it. */
async function during(work: (ledger: Ledger) => Promise<unknown>): Promise<void> {
  const ledger = await place.open();
  try {
    await work(ledger);
  } finally {
    await ledger.close();
  }
}

describe('restoring a backup', () => {
  it('refuses other files and backups of another ledger, and changes nothing', async () => {
    await during((ledger) => ledger.admit(admission('a', 'a')));
    const other = await createPlace();
    const stranger = await other.open();
    const { file } = await stranger.backup(path.join(other.dir, 'kept.db'));
    await stranger.close();
    // SQLite removes its own files once the garbage collector has collected their reader.
    const files = () => fs.readdirSync(place.dir).filter((name) => !/^instance\.|-(wal|shm)$/.test(name));
    const before = files();
    for (const [backup, code] of [
      [file, 'LEDGER_EXISTS'],
      [path.join(place.dir, 'ledger.journal'), 'ARCHIVE_REFUSED'],
      [path.join(place.dir, 'none.db'), 'FILE_UNREADABLE'],
    ] as const)
      await expect(restoreLedger(place.dir, backup)).rejects.toMatchObject({ code });
    expect(files()).toEqual(before);
    await other.remove();
  });
});

describe('a backup', () => {
  it('is not made where backups cannot be listed, which keeps no ledger from being opened', async () => {
    fs.writeFileSync(backups, 'a file');
    await during(async (ledger) => {
      expect(await ledger.lastBackup()).toBeNull();
      await expect(ledger.backup(null)).rejects.toMatchObject({ code: 'BACKUP_FAILED' });
    });
  });

  it('is private to its owner', async () => {
    await during(async (ledger) => {
      const { file } = await ledger.backup(null);
      expect(fs.statSync(file).mode & 0o777).toBe(0o600);
    });
  });

  it('is deleted if it is older than the ones to keep', async () => {
    await during(async (ledger) => {
      const { file } = await ledger.backup(null);
      fs.renameSync(file, path.join(place.dir, 'copied.db'));
      for (const day of ['01', '02', '03'])
        fs.copyFileSync(
          path.join(place.dir, 'copied.db'),
          path.join(backups, `ledger-1969${day}01T000000000Z.db`),
        );
      fs.writeFileSync(path.join(backups, 'mine.txt'), 'not a backup');
      await ledger.pruneBackups(2);
    });
    expect(fs.readdirSync(backups).sort()).toEqual([
      'ledger-19690201T000000000Z.db',
      'ledger-19690301T000000000Z.db',
      'mine.txt',
    ]);
  });

  it('that a power failure left unfinished is deleted after a day', async () => {
    await during(async (ledger) => {
      const { file } = await ledger.backup(null);
      for (const left of ['ledger-19690201T000000000Z.db.new', 'ledger-19690201T000000000Z.db.new-journal'])
        fs.copyFileSync(file, path.join(backups, left));
      // Another process may still be writing this one.
      fs.copyFileSync(file, `${file}.new`);
      await ledger.pruneBackups(2);
      const name = path.basename(file);
      expect(fs.readdirSync(backups).sort()).toEqual([name, `${name}.new`]);
    });
  });

  it('dated years ahead by a wrong clock does not displace today’s', async () => {
    await during(async (ledger) => {
      const { file } = await ledger.backup(null);
      for (const day of ['01', '02'])
        fs.copyFileSync(file, path.join(backups, `ledger-2999${day}01T000000000Z.db`));
      await ledger.pruneBackups(2);
      expect(fs.readdirSync(backups).sort()).toEqual([path.basename(file), 'ledger-29990201T000000000Z.db']);
      expect(await ledger.lastBackup()).toBe(clock.now());
    });
  });
});
