import { DatabaseSync } from '@photostructure/sqlite';
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ReceiptdError } from '../../../src/core/domain/errors.ts';
import { journalPathOf } from '../../../src/ledger/sqlite/files.ts';
import { openSqliteLedger } from '../../../src/ledger/open.ts';
import { openSqliteReports } from '../../../src/ledger/sqlite/openReports.ts';
import { admission, hashOf, OFFICE } from '../../contract/ledger/support.ts';
import { clock, createPlace } from './place.ts';
import { asOrdinaryUser } from '../../support/ordinaryUser.ts';
import { memoryDirectory } from '../../support/memoryDirectory.ts';
import { begin } from '../../support/uploads.ts';

type Place = Awaited<ReturnType<typeof createPlace>>;

let place: Place;
beforeEach(async () => {
  place = await createPlace();
});
afterEach(() => place.remove());

async function refusal(opening: Promise<unknown>): Promise<ReceiptdError> {
  const error = await opening.then(
    () => new Error('it opened'),
    (reason: unknown) => reason,
  );
  if (error instanceof ReceiptdError) return error;
  throw error;
}

/** Creates a ledger with some documents, and closes it. */
async function fill(count = 1): Promise<void> {
  const ledger = await place.open();
  await Promise.all(Array.from({ length: count }, (_, n) => ledger.admit(admission(`f${n}`, `${n}`))));
  await ledger.close();
}

describe('opening the SQLite ledger', () => {
  it('creates a file for its owner only, whatever the umask', async () => {
    const before = process.umask(0);
    try {
      await fill();
    } finally {
      process.umask(before);
    }
    for (const name of fs.readdirSync(place.dir)) {
      expect([name, fs.statSync(path.join(place.dir, name)).mode & 0o777]).toEqual([name, 0o600]);
    }
  });

  it('uses a WAL, and checks types', async () => {
    await fill();
    const db = new DatabaseSync(place.path);
    const modes = db.prepare('PRAGMA journal_mode').all();
    const loose: { name: string }[] = db
      .prepare("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND strict = 0")
      .all();
    db.close();
    expect(modes).toEqual([{ journal_mode: 'wal' }]);
    expect(loose.map(({ name }) => name)).toEqual(['sqlite_schema']);
  });

  it('names the path if the ledger cannot be created', async () => {
    const missing = path.join(place.dir, 'none', 'ledger.db');
    expect(await refusal(openSqliteLedger({ path: missing, clock }))).toMatchObject({
      code: 'STATE_UNWRITABLE',
      message: expect.stringContaining(missing),
    });
  });

  it('reports a directory in its place', async () => {
    expect(await refusal(openSqliteLedger({ path: place.dir, clock }))).toMatchObject({
      code: 'STATE_UNWRITABLE',
    });
    expect(await refusal(openSqliteReports({ path: place.dir }))).toMatchObject({ code: 'FILE_UNREADABLE' });
  });
});

describe('reading the SQLite ledger', () => {
  it('reports a missing ledger, and creates nothing', async () => {
    const error = await refusal(openSqliteReports({ path: place.path }));
    expect(error.code).toBe('LEDGER_MISSING');
    expect(error.key).toBe('LEDGER_MISSING.file');
    expect(fs.readdirSync(place.dir)).toEqual([]);
    fs.writeFileSync(journalPathOf(place.path), '');
    expect((await refusal(openSqliteReports({ path: place.path }))).key).toBe('LEDGER_MISSING.journalThere');
  });

  it.skipIf(process.platform === 'win32')('reports a directory that it may not enter', async () => {
    await asOrdinaryUser(async () => {
      const closed = fs.mkdtempSync(path.join(memoryDirectory(), 'receiptd-closed-'));
      try {
        fs.chmodSync(closed, 0o000);
        const error = await refusal(openSqliteReports({ path: path.join(closed, 'ledger.db') }));
        expect(error.code).toBe('FILE_UNREADABLE');
        expect(error.hint).toContain('control.group');
      } finally {
        fs.chmodSync(closed, 0o700);
        fs.rmSync(closed, { recursive: true });
      }
    });
  });

  it('works without a writer, and changes nothing in the file', async () => {
    await fill(3);
    const before = fs.readFileSync(place.path);
    const reports = await openSqliteReports({ path: place.path });
    expect(await reports.bySha256(OFFICE, hashOf('1'))).toMatchObject({ name: 'doc-1' });
    await reports.close();
    expect(fs.readFileSync(place.path).equals(before)).toBe(true);
  });

  it('sees concurrent commits of the writer, and never blocks it', async () => {
    const ledger = await place.open();
    await Promise.all(Array.from({ length: 2_200 }, (_, n) => ledger.admit(admission(`f${n}`, `${n}`))));
    const reports = await openSqliteReports({ path: place.path });
    let listed = 0;
    for await (const row of reports.list({})) {
      if (listed === 0) {
        await begin(ledger, row.documentId!, 2_000, 1);
        await ledger.admit(admission('late', 'late', { at: 9_000 }));
      }
      listed += 1;
    }
    expect(listed).toBe(2_201);
    expect(await reports.find('doc-late')).toHaveLength(1);
    expect(await reports.counts()).toContainEqual(expect.objectContaining({ state: 'uploading', count: 1 }));
    await reports.close();
    await ledger.close();
  });
});
