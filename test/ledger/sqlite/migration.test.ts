import { DatabaseSync } from '@photostructure/sqlite';
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { compareWithJournal } from '../../../src/ledger/sqlite/compare.ts';
import { LATEST_VERSION } from '../../../src/ledger/sqlite/migrate.ts';
import { MISCOUNTED } from '../../../src/ledger/sqlite/sql/reports.ts';
import { admission } from '../../contract/ledger.ts';
import { putFormer, rowsOf } from './former.ts';
import { createPlace } from './place.ts';

let place: Awaited<ReturnType<typeof createPlace>>;
let journal: string;
beforeEach(async () => {
  place = await createPlace();
  journal = path.join(place.dir, 'ledger.journal');
});
afterEach(() => place.remove());

describe('a backup of version 2', () => {
  it('is one that a rebuilt ledger begins with', async () => {
    const file = putFormer(2, place.dir);
    const before = rowsOf(file);
    const backups = path.join(place.dir, 'backups');
    fs.mkdirSync(backups);
    fs.renameSync(file, path.join(backups, 'ledger-20260101T000000000Z.db'));
    await (await place.open()).close();
    const db = new DatabaseSync(place.path, { readOnly: true });
    expect(db.prepare('PRAGMA user_version').get()).toEqual({ user_version: LATEST_VERSION });
    expect(db.prepare(MISCOUNTED).all()).toEqual([]);
    db.close();
    for (const table of ['documents', 'attempts', 'sightings'])
      expect(rowsOf(place.path, before)[table]).toEqual(before[table]);
    expect((await compareWithJournal(place.path, journal, 1)).findings).toEqual([]);
  });
});

describe('list', () => {
  it('shows all of what is not accepted and nothing else, among any number of accepted ones', async () => {
    const ledger = await place.open();
    for (let n = 0; n < 300; n += 1) {
      const { document } = await ledger.admit(admission(`f${n}`, `${n}`, { at: 1_000 + n }));
      if (n % 100 === 7) continue;
      const attempt = await ledger.begin(document.id, 2_000, 10);
      await ledger.finish(attempt, {
        at: 3_000,
        outcome: 'accepted',
        httpStatus: 200,
        message: null,
        transition: { state: 'accepted', serviceStatus: 'PROCESSING', response: '{}' },
      });
    }
    const names = async (states?: ('queued' | 'accepted' | 'lost' | 'rejected')[]) => {
      const found: (string | null)[] = [];
      for await (const { name } of ledger.list(states ? { states } : {})) found.push(name);
      return found;
    };
    expect(await names(['queued'])).toEqual(['doc-7', 'doc-107', 'doc-207']);
    expect(await names(['lost', 'queued'])).toEqual(['doc-7', 'doc-107', 'doc-207']);
    expect(await names(['rejected'])).toEqual([]);
    expect(await names(['accepted'])).toHaveLength(297);
    // Windows that grow leave none out, and show none twice.
    expect(await names()).toEqual(Array.from({ length: 300 }, (_, n) => `doc-${n}`));
    await ledger.close();
  });
});
