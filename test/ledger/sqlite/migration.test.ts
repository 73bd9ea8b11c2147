import { DatabaseSync } from '@photostructure/sqlite';
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readJournal } from '../../../src/ledger/journal/journal.ts';
import { compareWithJournal } from '../../../src/ledger/sqlite/compare.ts';
import { LATEST_VERSION, migrate } from '../../../src/ledger/sqlite/migrate.ts';
import { MIGRATION_0005 } from '../../../src/ledger/sqlite/migrations/0005.ts';
import { replay } from '../../../src/ledger/sqlite/replay.ts';
import { restoreLedger } from '../../support/restoreLedger.ts';
import { MISCOUNTED } from '../../../src/ledger/sqlite/sql/reports.ts';
import type { Ledger } from '../../../src/ports/ledger.ts';
import { admission, OFFICE, SHOP } from '../../contract/ledger.ts';
import { clock, createPlace } from './place.ts';

let place: Awaited<ReturnType<typeof createPlace>>;
let journal: string;
beforeEach(async () => {
  place = await createPlace();
  journal = path.join(place.dir, 'ledger.journal');
});
afterEach(() => place.remove());

async function told(ledger: Ledger): Promise<unknown> {
  const rows: unknown[] = [];
  for await (const row of ledger.list({})) rows.push({ ...row, updatedAt: null });
  return { rows, counts: await ledger.counts() };
}

/** Leaves a closed ledger with documents in several states; resolves what it says. */
async function fill(): Promise<unknown> {
  const ledger = await place.open();
  for (const name of ['a', 'b', 'c', 'd']) await ledger.admit(admission(name, name));
  const { document } = await ledger.admit(admission('s', 'a', { endpoint: SHOP }));
  await ledger.markLost(document.id, 'Gone.', 4_000);
  const attempt = await ledger.begin(1, 2_000, 10);
  await ledger.finish(attempt, {
    at: 3_000,
    outcome: 'accepted',
    httpStatus: 200,
    message: null,
    transition: { state: 'accepted', serviceStatus: 'PROCESSING', response: '{}' },
  });
  const said = await told(ledger);
  await ledger.close();
  return said;
}

const FOLDED = [
  ['documents', 'folded_name'],
  ['documents', 'folded_path'],
  ['sightings', 'folded_path'],
] as const;

/** Takes the ledger back to a version, from its journal: the same events, as that version kept them. */
function takeBackTo(version: number, file: string): void {
  for (const suffix of ['', '-wal', '-shm', '.sound']) fs.rmSync(file + suffix, { force: true });
  const db = new DatabaseSync(file, { enableForeignKeyConstraints: true });
  migrate(db, 0, clock.now(), version);
  // What events fill today and that version did not know.
  db.exec(MIGRATION_0005);
  const [first] = readJournal(journal, 0);
  const { ledger } = first!.facts as { ledger: string };
  expect(replay(db, ledger, readJournal(journal, 0)).misfits).toEqual([]);
  for (const [table, column] of FOLDED) db.exec(`ALTER TABLE ${table} DROP COLUMN ${column}`);
  db.close();
}

function versionOf(file: string): unknown {
  const db = new DatabaseSync(file, { readOnly: true });
  const { user_version: version } = db.prepare('PRAGMA user_version').get();
  expect(db.prepare(MISCOUNTED).all()).toEqual([]);
  db.close();
  return version;
}

describe('a ledger of version 2', () => {
  it('is brought to the latest with everything that it holds, and with its documents counted', async () => {
    const before = await fill();
    takeBackTo(2, place.path);
    const ledger = await place.open();
    expect(await told(ledger)).toEqual(before);
    expect(
      await ledger.claim({
        endpoint: OFFICE,
        lane: 'fresh',
        limit: 9,
        now: 1,
        freshSince: 0,
        exceptFolders: [],
        longestWaitMs: 1,
      }),
    ).toHaveLength(3);
    await ledger.admit(admission('late', 'late'));
    await ledger.close();
    expect(versionOf(place.path)).toBe(LATEST_VERSION);
    expect((await compareWithJournal(place.path, journal, 1)).findings).toEqual([]);
  });

  it('is still a good backup: one that is restored, and one that a rebuilt ledger begins with', async () => {
    const before = await fill();
    const backupsDir = path.join(place.dir, 'backups');
    const backup = path.join(backupsDir, 'ledger-20260101T000000000Z.db');
    fs.mkdirSync(backupsDir);
    takeBackTo(2, backup);
    await (await place.open()).close();
    await restoreLedger(place.dir, backup);
    expect(versionOf(place.path)).toBe(LATEST_VERSION);
    fs.rmSync(place.path);
    const ledger = await place.open();
    expect(await told(ledger)).toEqual(before);
    await ledger.close();
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
