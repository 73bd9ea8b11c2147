import { DatabaseSync } from '@photostructure/sqlite';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ReceiptdError } from '../../../src/domain/errors.ts';
import { openJournal } from '../../../src/ledger/journal/journal.ts';
import { compareWithJournal } from '../../../src/ledger/sqlite/compare.ts';
import { openForWriting } from '../../../src/ledger/sqlite/connection.ts';
import { LATEST_VERSION, migrate } from '../../../src/ledger/sqlite/migrate.ts';
import { openSqliteLedger } from '../../../src/ledger/sqlite/open.ts';
import { restoreLedger } from '../../support/restoreLedger.ts';
import { keepBeforeUpgrade } from '../../../src/ledger/sqlite/upgrade.ts';
import { FORMER, putFormer, rowsOf, type Rows } from './former.ts';
import { clock } from './place.ts';

let dir: string;
beforeEach(() => {
  dir = fs.mkdtempSync(path.join(os.tmpdir(), 'receiptd-former-'));
});
afterEach(() => fs.rmSync(dir, { recursive: true, force: true }));

const kept = (version: number): string => path.join(dir, 'backups', `upgrade-from-v${version}.db`);
const OLD = FORMER.filter((version) => version < LATEST_VERSION);

/** Opens the ledger as the agent does, and closes it; what it had to tell. */
async function openAndClose(file: string): Promise<string[]> {
  const stories: string[] = [];
  const ledger = await openSqliteLedger({ path: file, clock, onMended: (story) => void stories.push(story) });
  await ledger.close();
  return stories;
}

/** What an upgrade itself writes: its own steps, and where a journal begins or goes on. */
function without(rows: Rows, ...tables: string[]): Rows {
  return Object.fromEntries(Object.entries(rows).filter(([table]) => !tables.includes(table)));
}

it('there is a former ledger of every version before the latest', () => {
  expect(FORMER).toEqual(Array.from({ length: LATEST_VERSION - 1 }, (_, n) => n + 1));
});

describe.each(FORMER)('a ledger that the program of version %i left', (version) => {
  it('is of that version: its tables are those that the migrations make', () => {
    const schema = (file: string): unknown[] => {
      const db = new DatabaseSync(file, { readOnly: true });
      const all: unknown[] = db.prepare('SELECT name, sql FROM sqlite_schema ORDER BY name').all();
      db.close();
      return all;
    };
    const made = path.join(dir, 'made.db');
    const db = new DatabaseSync(made);
    migrate(db, 0, 1, version);
    db.close();
    expect(schema(putFormer(version, dir))).toEqual(schema(made));
  });

  it('keeps every row when it is opened, and ledger and journal say the same', async () => {
    const file = putFormer(version, dir);
    const before = rowsOf(file);
    expect(before['documents']).toHaveLength(5);
    expect(await openAndClose(file)).toEqual([]);
    const own = ['migrations', 'journal', 'document_counts'];
    expect(without(rowsOf(file, before), ...own)).toEqual(without(before, ...own));
    expect(rowsOf(file)['migrations']).toHaveLength(LATEST_VERSION);
    const counts = rowsOf(file)['document_counts']!.filter(({ count }) => count !== 0n);
    expect(counts.map(({ state, count }) => [state, count])).toEqual([
      ['accepted', 2n],
      ['failed', 1n],
      ['queued', 1n],
      ['queued', 1n],
    ]);
    const { findings } = await compareWithJournal(file, path.join(dir, 'ledger.journal'), 1);
    expect(findings).toEqual([]);
  });
});

describe.each(OLD)('a ledger of version %i, before it is brought to the latest,', (version) => {
  it('is kept as it was, for its owner only, and stays when backups are pruned', async () => {
    const file = putFormer(version, dir);
    const before = rowsOf(file);
    fs.mkdirSync(path.join(dir, 'backups'));
    fs.writeFileSync(kept(0), 'of the upgrade before');
    await openAndClose(file);
    expect(fs.readdirSync(path.join(dir, 'backups'))).toEqual([`upgrade-from-v${version}.db`]);
    expect(rowsOf(kept(version))).toEqual(before);
    expect(fs.statSync(kept(version)).mode & 0o777).toBe(0o600);
    const ledger = await openSqliteLedger({ path: file, clock });
    await ledger.pruneBackups(0);
    await ledger.close();
    expect(fs.existsSync(kept(version))).toBe(true);
  });

  it('is left as it is where there is no space for both', () => {
    const file = putFormer(version, dir);
    const before = rowsOf(file);
    const db = new DatabaseSync(file);
    const upgrade = (): void =>
      keepBeforeUpgrade(db, file, path.join(dir, 'backups'), version, { freeBytes: () => 1_000 });
    expect(upgrade).toThrow(
      expect.objectContaining({
        code: 'UPGRADE_NO_SPACE',
        message: expect.stringMatching(/version \d to \d, which needs 0\.\d MB free on .* and has 0\.0 MB/),
      }),
    );
    db.close();
    expect(rowsOf(file)).toEqual(before);
    expect(fs.readdirSync(path.join(dir, 'backups'))).toEqual([]);
  });

  it('is left as it is where the copy can not be written', () => {
    const file = putFormer(version, dir);
    const before = rowsOf(file);
    fs.writeFileSync(path.join(dir, 'backups'), 'in the way');
    expect(() => openForWriting(file, 1)).toThrow(expect.objectContaining({ code: 'BACKUP_FAILED' }));
    expect(() => openForWriting(file, 1)).toThrow(ReceiptdError);
    expect(rowsOf(file)).toEqual(before);
  });
});

it.each(OLD.filter((version) => version > 1))(
  'what was kept of version %i can be restored, and what came after the upgrade is not forgotten',
  async (version) => {
    const file = putFormer(version, dir);
    await openAndClose(file);
    const ledger = await openSqliteLedger({ path: file, clock });
    await ledger.markLost(4, 'Gone.', 4_000);
    await ledger.close();
    const before = without(rowsOf(file), 'migrations', 'journal');
    const restored = await restoreLedger(dir, kept(version));
    expect(restored).toMatchObject({ documents: 5, story: [] });
    expect(restored.replayed).toBeGreaterThan(0);
    expect(without(rowsOf(file), 'migrations', 'journal')).toEqual(before);
  },
);

it('an older program goes on with what a newer one wrote: entries that it does not know change nothing', async () => {
  const file = putFormer(3, dir);
  await openAndClose(file);
  const ledger = await openSqliteLedger({ path: file, clock });
  await ledger.markLost(4, 'Gone.', 4_000);
  await ledger.close();
  const before = without(rowsOf(file), 'migrations', 'journal');
  const journal = openJournal(path.join(dir, 'ledger.journal'));
  journal?.append([{ kind: 'of a later version', at: 5_000, facts: { document: 4 } }]);
  journal?.close();
  expect(await restoreLedger(dir, kept(3))).toMatchObject({ documents: 5, story: [] });
  expect(without(rowsOf(file), 'migrations', 'journal')).toEqual(before);
  expect((await compareWithJournal(file, path.join(dir, 'ledger.journal'), 1)).findings).toEqual([]);
});
