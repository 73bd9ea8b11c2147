import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openForWriting } from '../../../src/ledger/sqlite/connection.ts';
import { Store } from '../../../src/ledger/sqlite/store.ts';
import { createPlace } from './place.ts';

const INSERT = 'INSERT INTO acts (at, kind, by, detail) VALUES (:at, :kind, :by, :detail)';
const COUNT = 'SELECT count(*) AS count FROM acts';

let place: Awaited<ReturnType<typeof createPlace>>;
let db: DatabaseSyncInstance;
let store: Store;

beforeEach(async () => {
  place = await createPlace();
  db = openForWriting(place.path, 1);
  store = new Store(db, place.path, { readOnly: false });
});
afterEach(async () => {
  await store.close();
  await place.remove();
});

function write(detail = 'x'): Promise<number> {
  return store.write((sql) => sql.insert(INSERT, { at: 1, kind: 'retry', by: 'ann', detail }));
}

async function count(): Promise<number> {
  return (await store.read((sql) => sql.get<{ count: number }>(COUNT)))?.count ?? 0;
}

describe('group commit', () => {
  it('commits what one turn of the event loop wrote in one transaction', async () => {
    const exec = vi.spyOn(db, 'exec');
    await Promise.all(Array.from({ length: 100 }, () => write()));
    await Promise.all([write(), write()]);
    expect(exec.mock.calls.flat()).toEqual(['BEGIN IMMEDIATE', 'COMMIT', 'BEGIN IMMEDIATE', 'COMMIT']);
    expect(await count()).toBe(102);
  });

  it('shows committed state only while a group waits', async () => {
    const pending = write();
    expect(await count()).toBe(0);
    await pending;
    expect(await count()).toBe(1);
  });

  it('rejects a whole group when the disk is full, keeps what was durable, and goes on when there is space', async () => {
    await write('first');
    const [pages] = db.prepare('PRAGMA page_count').all();
    db.exec(`PRAGMA max_page_count = ${Number(pages.page_count) + 2}`);
    const results = await Promise.allSettled([write('small'), write('x'.repeat(100_000)), write('after')]);
    expect(results.map((result) => result.status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(results[0]).toMatchObject({
      reason: {
        code: 'LEDGER_WRITE_FAILED',
        message: expect.stringContaining(place.path),
        hint: expect.stringContaining('space'),
      },
    });
    expect(await count()).toBe(1);
    db.exec('PRAGMA max_page_count = 1000000');
    await write('x'.repeat(100_000));
    expect(await count()).toBe(2);
  });

  it('rejects a group whose commit fails', async () => {
    const exec = vi.spyOn(db, 'exec').mockImplementationOnce(() => {
      throw Object.assign(new Error('disk I/O error'), { errcode: 10 });
    });
    await expect(write()).rejects.toMatchObject({ code: 'LEDGER_WRITE_FAILED' });
    exec.mockRestore();
    await write();
    expect(await count()).toBe(1);
  });

  it('says that the ledger is damaged when SQLite finds it so while it is used', async () => {
    const malformed = (): never => {
      throw Object.assign(new Error('database disk image is malformed'), { errcode: 267 });
    };
    await expect(store.read(malformed)).rejects.toMatchObject({ code: 'LEDGER_DAMAGED' });
    await expect(store.write(malformed)).rejects.toMatchObject({ code: 'LEDGER_DAMAGED' });
    await write();
    expect(await count()).toBe(1);
  });
});
