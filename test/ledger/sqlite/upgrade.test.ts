/** Opens the current ledger with a program whose schema has one more table. */
import { DatabaseSync } from '@photostructure/sqlite';
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { LATEST_VERSION } from '../../../src/ledger/sqlite/migrate.ts';
import { admission, rowsOf } from '../../contract/ledger/support.ts';
import { restoreLedger } from '../../support/restoreLedger.ts';
import { clock, createPlace } from './place.ts';

const PROBE = 'CREATE TABLE probe (id INTEGER PRIMARY KEY) STRICT;';
const MIGRATIONS = '../../../src/ledger/sqlite/migrations/all.ts';

let place: Awaited<ReturnType<typeof createPlace>>;
let backups: string;
let kept: string;
beforeEach(async () => {
  place = await createPlace();
  backups = path.join(place.dir, 'backups');
  kept = path.join(backups, `upgrade-from-v${LATEST_VERSION}.db`);
  const ledger = await place.open();
  for (const name of ['a', 'b', 'c']) await ledger.admit(admission(name, name));
  await ledger.close();
});
afterEach(async () => {
  vi.doUnmock(MIGRATIONS);
  await place.remove();
});

/** The parts of the program whose ledger has the next version, reached by these steps. */
async function newerProgram(steps: string = PROBE) {
  const { ALL_MIGRATIONS } = await import(MIGRATIONS);
  vi.resetModules();
  vi.doMock(MIGRATIONS, () => ({ ALL_MIGRATIONS: [...ALL_MIGRATIONS, steps] }));
  const { openSqliteLedger } = await import('../../../src/ledger/sqlite/open.ts');
  const { keepBeforeUpgrade } = await import('../../../src/ledger/sqlite/upgrade.ts');
  return { open: () => openSqliteLedger({ path: place.path, clock }), keepBeforeUpgrade };
}

function read(file: string): { version: unknown; names: unknown[]; tables: unknown[] } {
  const db = new DatabaseSync(file, { readOnly: true });
  const said = {
    version: db.prepare('PRAGMA user_version').get().user_version,
    names: db
      .prepare('SELECT name FROM documents ORDER BY id')
      .all()
      .map(({ name }: { name: string }) => name),
    tables: db.prepare("SELECT name FROM sqlite_schema WHERE name = 'probe'").all(),
  };
  db.close();
  return said;
}

const AS_IT_WAS = { version: LATEST_VERSION, names: ['doc-a', 'doc-b', 'doc-c'], tables: [] };

it('an upgrade keeps a private copy of the old ledger, then brings the ledger to the next version', async () => {
  fs.mkdirSync(backups, { recursive: true });
  fs.writeFileSync(path.join(backups, 'upgrade-from-v0.db'), 'of the upgrade before');
  const ledger = await (await newerProgram()).open();
  await ledger.admit(admission('d', 'd'));
  await ledger.pruneBackups(0);
  await ledger.close();
  expect(read(place.path)).toMatchObject({
    version: LATEST_VERSION + 1,
    names: [...AS_IT_WAS.names, 'doc-d'],
    tables: [{ name: 'probe' }],
  });
  expect(fs.readdirSync(backups).filter((name) => name.startsWith('upgrade-'))).toEqual([
    path.basename(kept),
  ]);
  expect(read(kept)).toEqual(AS_IT_WAS);
  expect(fs.statSync(kept).mode & 0o777).toBe(0o600);
});

it('an upgrade leaves the ledger at its version if a step fails, and the next start upgrades it', async () => {
  const failing = await newerProgram(`${PROBE} CREATE TABLE documents (id INTEGER) STRICT;`);
  await expect(failing.open()).rejects.toThrow(/documents already exists/);
  expect(read(place.path)).toEqual(AS_IT_WAS);
  expect(read(kept)).toEqual(AS_IT_WAS);
  vi.doUnmock(MIGRATIONS);
  vi.resetModules();
  await (await (await newerProgram()).open()).close();
  expect(read(place.path).version).toBe(LATEST_VERSION + 1);
  expect(read(kept)).toEqual(AS_IT_WAS);
});

it('an upgrade leaves the ledger unchanged if the copy has no space or its directory is in the way', async () => {
  const { keepBeforeUpgrade, open } = await newerProgram();
  const db = new DatabaseSync(place.path);
  expect(() =>
    keepBeforeUpgrade(db, place.path, backups, LATEST_VERSION, { freeBytes: () => 1_000 }),
  ).toThrow(
    expect.objectContaining({
      code: 'UPGRADE_NO_SPACE',
      message: expect.stringMatching(
        /version \d to \d needs 0\.\d MB of free space in .*, but only 0\.0 MB is free/,
      ),
    }),
  );
  db.close();
  fs.rmSync(backups, { recursive: true, force: true });
  fs.writeFileSync(backups, 'in the way');
  await expect(open()).rejects.toMatchObject({ code: 'BACKUP_FAILED' });
  expect(read(place.path)).toEqual(AS_IT_WAS);
});

it('a downgrade with the copy forgets nothing that happened after the upgrade', async () => {
  const ledger = await (await newerProgram()).open();
  await ledger.admit(admission('d', 'd'));
  await ledger.markLost(1, 'Gone.', 4_000);
  await ledger.close();
  await expect(place.open()).rejects.toMatchObject({ code: 'LEDGER_NEWER' });
  expect(await restoreLedger(place.dir, kept, { replace: true })).toMatchObject({ documents: 4, story: [] });
  const former = await place.open();
  const states = (await rowsOf(former)).map(({ name, state }) => [name, state]);
  await former.close();
  expect(states).toEqual([
    ['doc-a', 'lost'],
    ['doc-b', 'queued'],
    ['doc-c', 'queued'],
    ['doc-d', 'queued'],
  ]);
});
