import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { admit } from '../../../src/ledger/sqlite/admit.ts';
import { openLedgerAndJournal } from '../../../src/ledger/sqlite/openLedgerAndJournal.ts';
import { endpointIdOf, ensureEndpoint, ensureFolder, folderIdOf } from '../../../src/ledger/sqlite/ids.ts';
import { NEXT_DOCUMENT_ID } from '../../../src/ledger/sqlite/sql/documents.ts';
import { NEXT_NUMBERS } from '../../../src/ledger/sqlite/sql/endpoints.ts';
import { NEXT_SIGHTING_ID } from '../../../src/ledger/sqlite/sql/sightings.ts';
import { replay } from '../../../src/ledger/sqlite/replay.ts';
import { createSql } from '../../../src/ledger/sqlite/statements.ts';
import { Store } from '../../../src/ledger/sqlite/store.ts';
import { Trouble } from '../../../src/ledger/sqlite/trouble.ts';
import { admission, OFFICE, SHOP } from '../../contract/ledger/support.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { createPlace } from './place.ts';

let place: Awaited<ReturnType<typeof createPlace>>;
let db: DatabaseSyncInstance;
let store: Store;

beforeEach(async () => {
  place = await createPlace();
  const pair = openLedgerAndJournal({ path: place.path, backupsDir: place.dir, at: 1, onMended: () => {} });
  db = pair.db;
  const trouble = new Trouble(new FakeClock(), null);
  store = new Store(db, place.path, { journal: pair.journal, trouble });
});
afterEach(async () => {
  await store.close();
  await place.remove();
});

function rows(): unknown[] {
  return [
    ...db.prepare('SELECT id, uid AS name FROM endpoints ORDER BY id').all(),
    ...db.prepare('SELECT id, path AS name FROM folders ORDER BY id').all(),
  ];
}

describe('the numbers of endpoints and folders', () => {
  it('are asked for once', async () => {
    await store.write((sql) => [ensureEndpoint(sql, OFFICE), ensureFolder(sql, '/a')]);
    await store.read((sql) => {
      const get = vi.spyOn(sql, 'get');
      expect([endpointIdOf(sql, OFFICE), folderIdOf(sql, '/a')]).toEqual([1, 1]);
      expect(get).not.toHaveBeenCalled();
      get.mockRestore();
    });
  });

  it('are unknown until there is a row, which another connection may have made', async () => {
    const other = createSql(db);
    expect([endpointIdOf(other, OFFICE), folderIdOf(other, '/a')]).toEqual([undefined, undefined]);
    await store.write((sql) => [ensureEndpoint(sql, OFFICE), ensureFolder(sql, '/a')]);
    expect([endpointIdOf(other, OFFICE), folderIdOf(other, '/a')]).toEqual([1, 1]);
    other.forget();
  });

  it('are never those of rows rolled back with a faulty write of the same group', async () => {
    const failed = store.write((sql) => {
      ensureEndpoint(sql, OFFICE);
      ensureFolder(sql, '/a');
      throw new Error('at fault');
    });
    const others = store.write((sql) => [ensureEndpoint(sql, SHOP), ensureFolder(sql, '/b')]);
    await expect(failed).rejects.toThrow('at fault');
    await others;
    await store.write((sql) => [ensureEndpoint(sql, OFFICE), ensureFolder(sql, '/a')]);
    expect(rows()).toEqual([
      { id: 1, name: SHOP.uid },
      { id: 2, name: OFFICE.uid },
      { id: 1, name: '/b' },
      { id: 2, name: '/a' },
    ]);
  });

  it('are never those of rows rolled back with a failed commit', async () => {
    const exec = vi.spyOn(db, 'exec').mockImplementation((text) => {
      if (text === 'COMMIT') throw Object.assign(new Error('disk I/O error'), { errcode: 10 });
      return Object.getPrototypeOf(db).exec.call(db, text);
    });
    const failed = store.writeOutcome((sql) => [ensureEndpoint(sql, OFFICE), ensureFolder(sql, '/a')]);
    await expect(failed).rejects.toMatchObject({ code: 'LEDGER_WRITE_FAILED' });
    exec.mockRestore();
    // Outcomes are written even while the store is in trouble.
    await store.writeOutcome((sql) => [ensureEndpoint(sql, SHOP), ensureFolder(sql, '/b')]);
    await store.writeOutcome((sql) => [ensureEndpoint(sql, OFFICE), ensureFolder(sql, '/a')]);
    expect(rows()).toEqual([
      { id: 1, name: SHOP.uid },
      { id: 2, name: OFFICE.uid },
      { id: 1, name: '/b' },
      { id: 2, name: '/a' },
    ]);
  });

  it('are not those of an entry that did not fit when a journal is read once more', () => {
    const sighted = (seq: number, folder: string, document: number | null) => ({
      seq,
      hash: '',
      at: seq,
      kind: 'sighted',
      facts: {
        sighting: seq,
        supersedes: null,
        verdict: document === null ? 'skipped' : 'document',
        document,
        sha256: null,
        policy: null,
        reason: null,
        size: 1,
        folder,
      },
      personal: { path: 'a.jpg', mtimeNs: '1', ctimeNs: '1', inode: '1', message: null },
    });
    // There is no document 7.
    const entries = [sighted(1, '/a', 7), sighted(2, '/b', null), sighted(3, '/a', null)];
    expect(replay(db, 'ledger', entries).misfits).toEqual([1]);
    const kept = db.prepare(
      'SELECT s.id, f.path FROM sightings s JOIN folders f ON f.id = s.folder_id ORDER BY s.id',
    );
    expect(kept.all()).toEqual([
      { id: 2, path: '/b' },
      { id: 3, path: '/a' },
    ]);
  });
});

describe('the next numbers of rows', () => {
  const numbered = (content: string) =>
    admission('', content, {
      naming: { parts: [{ width: 3 }], hash: content.padEnd(64, '0'), maxBytes: 100 },
    });

  it('are asked for once', async () => {
    await store.write((sql) => admit(sql, numbered('a')));
    const asked = await store.write((sql) => {
      const get = vi.spyOn(sql, 'get');
      admit(sql, numbered('b'));
      const texts = get.mock.calls.map(([text]) => text);
      get.mockRestore();
      return texts;
    });
    for (const text of [NEXT_DOCUMENT_ID, NEXT_SIGHTING_ID, NEXT_NUMBERS]) expect(asked).not.toContain(text);
    expect(db.prepare('SELECT id, line, name FROM documents ORDER BY id').all()).toEqual([
      { id: 1, line: 1, name: '001' },
      { id: 2, line: 2, name: '002' },
    ]);
  });

  it('have no gap after a faulty write in the same group', async () => {
    const failed = store.write((sql) => {
      admit(sql, numbered('a'));
      throw new Error('at fault');
    });
    const other = store.write((sql) => admit(sql, numbered('b')));
    await expect(failed).rejects.toThrow('at fault');
    expect((await other).document).toMatchObject({ id: 1, name: '001' });
    expect(
      db.prepare('SELECT s.id, d.line FROM sightings s JOIN documents d ON d.id = document_id').all(),
    ).toEqual([{ id: 1, line: 1 }]);
  });
});
