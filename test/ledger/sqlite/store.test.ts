import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readJournal } from '../../../src/ledger/journal/journal.ts';
import { journalPathOf } from '../../../src/ledger/sqlite/files.ts';
import {
  openLedgerAndJournal,
  type LedgerAndJournal,
} from '../../../src/ledger/sqlite/openLedgerAndJournal.ts';
import { Store } from '../../../src/ledger/sqlite/store.ts';
import { Trouble } from '../../../src/ledger/sqlite/trouble.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { createPlace } from './place.ts';

const COUNT = 'SELECT count(*) AS count FROM acts';

let place: Awaited<ReturnType<typeof createPlace>>;
let db: DatabaseSyncInstance;
let pair: LedgerAndJournal;
let store: Store;
let clock: FakeClock;
let trouble: Trouble;
let marks: string[];

beforeEach(async () => {
  place = await createPlace();
  pair = openLedgerAndJournal({ path: place.path, backupsDir: place.dir, at: 1, onMended: () => {} });
  db = pair.db;
  clock = new FakeClock();
  marks = [];
  trouble = new Trouble(clock, null, { onDamaged: (message) => void marks.push(message) });
  store = new Store(db, place.path, { journal: pair.journal, trouble });
});
afterEach(async () => {
  await store.close();
  await place.remove();
});

function write(detail = 'x'): Promise<void> {
  return store.write((sql) => sql.emit({ kind: 'act', act: 'retry', by: 'ann', detail }, 1));
}

async function count(): Promise<number> {
  return (await store.read((sql) => sql.get<{ count: number }>(COUNT)))?.count ?? 0;
}

describe('group commit', () => {
  it('commits all writes of one turn of the event loop in one transaction', async () => {
    const exec = vi.spyOn(db, 'exec');
    await Promise.all(Array.from({ length: 100 }, () => write()));
    await Promise.all([write(), write()]);
    expect(exec.mock.calls.flat()).toEqual(['BEGIN IMMEDIATE', 'COMMIT', 'BEGIN IMMEDIATE', 'COMMIT']);
    expect(await count()).toBe(102);
  });

  it('shows only committed state while a group waits', async () => {
    const pending = write();
    expect(await count()).toBe(0);
    await pending;
    expect(await count()).toBe(1);
  });

  it('rejects a whole group if the disk is full, keeps durable data, and continues once there is space', async () => {
    await write('first');
    const [pages] = db.prepare('PRAGMA page_count').all();
    db.exec(`PRAGMA max_page_count = ${Number(pages.page_count) + 2}`);
    const results = await Promise.allSettled([write('small'), write('x'.repeat(100_000)), write('after')]);
    expect(results.map((result) => result.status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(results[0]).toMatchObject({
      reason: {
        code: 'DISK_FULL',
        message: expect.stringContaining(place.path),
        hint: expect.stringContaining('space'),
      },
    });
    expect(await count()).toBe(1);
    // Meanwhile only outcomes of running requests are written.
    await expect(write('small')).rejects.toMatchObject({ code: 'DISK_FULL' });
    db.exec('PRAGMA max_page_count = 1000000');
    await clock.advance(5_000);
    await write('x'.repeat(100_000));
    expect(await count()).toBe(2);
  });

  it('rejects a group whose commit fails', async () => {
    const exec = vi.spyOn(db, 'exec').mockImplementationOnce(() => {
      throw Object.assign(new Error('disk I/O error'), { errcode: 10 });
    });
    await expect(write()).rejects.toMatchObject({ code: 'LEDGER_WRITE_FAILED' });
    exec.mockRestore();
    await clock.advance(5_000);
    await write();
    expect(await count()).toBe(1);
  });

  it('stays in trouble while the journal alone cannot be written', async () => {
    const journal = pair.journal;
    const full = vi.spyOn(journal, 'append').mockImplementation(() => {
      throw Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC', errno: -28 });
    });
    const probe = vi.spyOn(journal, 'tryWriting').mockImplementation(() => {
      throw Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC', errno: -28 });
    });
    let changes = 0;
    trouble.onChange(() => (changes += 1));
    await expect(write()).rejects.toMatchObject({ code: 'DISK_FULL' });
    await clock.advance(60_000);
    expect([changes, trouble.trouble()?.code]).toEqual([1, 'DISK_FULL']);
    full.mockRestore();
    probe.mockRestore();
    await clock.advance(5_000);
    await write();
    expect(changes).toBe(2);
    expect([...readJournal(journalPathOf(place.path), 0)].map(({ kind }) => kind)).toEqual(['begun', 'act']);
  });

  it('removes entries from the journal that could not be committed', async () => {
    await write('first');
    const exec = vi.spyOn(db, 'exec').mockImplementation((text) => {
      if (text === 'COMMIT') throw Object.assign(new Error('disk I/O error'), { errcode: 10 });
      return DatabaseSync.prototype.exec.call(db, text);
    });
    await expect(write('second')).rejects.toMatchObject({ code: 'LEDGER_WRITE_FAILED' });
    exec.mockRestore();
    await clock.advance(5_000);
    await write('third');
    const kept = [...readJournal(journalPathOf(place.path), 0)];
    expect(kept.map(({ kind, personal }) => personal?.['detail'] ?? kind)).toEqual([
      'begun',
      'first',
      'third',
    ]);
  });

  it('reports a damaged ledger if SQLite finds damage during use', async () => {
    const malformed = (): never => {
      throw Object.assign(new Error('database disk image is malformed'), { errcode: 267 });
    };
    await expect(store.read(malformed)).rejects.toMatchObject({ code: 'LEDGER_DAMAGED' });
    await expect(write()).rejects.toMatchObject({ code: 'LEDGER_DAMAGED' });
    expect(trouble.trouble()).toMatchObject({
      code: 'LEDGER_DAMAGED',
      hint: expect.stringContaining('Restart'),
    });
    await clock.advance(60_000);
    expect(trouble.trouble()).not.toBeNull();
    expect(marks).toEqual([expect.stringContaining('malformed')]);
  });
});
