import { DatabaseSync } from '@photostructure/sqlite';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { upkeep } from '../../src/daemon/upkeep.ts';
import { openSqliteLedger } from '../../src/ledger/open.ts';
import { OpenIncidents } from '../../src/daemon/openIncidents.ts';
import { admission } from '../contract/ledger/support.ts';
import { FakeClock } from '../support/fakeClock.ts';
import { RecordedLog } from '../support/recordedLog.ts';
import { compile } from '../support/scripts.ts';
import { memoryDirectory } from '../support/memoryDirectory.ts';

let checker: Awaited<ReturnType<typeof compile>>;
beforeAll(async () => {
  checker = await compile('ledger/sqlite/checker.ts');
});

/** `checks`: the program that checks the ledger; left out: the real one. */
async function place(backups = 2, checks?: string) {
  const dir = mkdtempSync(join(memoryDirectory(), 'receiptd-upkeep-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const clock = new FakeClock();
  const log = new RecordedLog();
  const path = join(dir, 'ledger.db');
  const checkerPath = checks === undefined ? fileURLToPath(checker.url) : join(dir, 'checker.mjs');
  if (checks !== undefined) writeFileSync(checkerPath, checks);
  const ledger = await openSqliteLedger({ path, clock, checkerPath });
  const incidents = new OpenIncidents({ clock, log });
  const stopping = new AbortController();
  const deps = { ledger, incidents, clock, log, backupEveryMs: 86_400_000, backups };
  const running = upkeep(deps, stopping.signal);
  const stop = async (): Promise<void> => {
    stopping.abort();
    await running;
  };
  onTestFinished(async () => {
    await stop();
    await ledger.close();
  });
  return { dir, path, clock, log, ledger, incidents, stop };
}

it('the upkeep backs up the ledger every day, and keeps the newest backups', async () => {
  const { dir, clock } = await place();
  const backups = join(dir, 'backups');
  const made = (): string[] =>
    existsSync(backups) ? readdirSync(backups).filter((name) => name.endsWith('.db')) : [];
  const seen = new Set<string>();
  await clock.advanceUntil(() => {
    for (const name of made()) seen.add(name);
    return seen.size >= 4;
  }, 3_600_000);
  await clock.advanceUntil(() => made().length === 2, 10);
  expect(made()).toEqual([...seen].sort().slice(-2));
});

it('the upkeep makes no backup at a start soon after the last one', async () => {
  const { dir, clock, ledger, incidents, log } = await place(0);
  await ledger.backup(null);
  const made = readdirSync(join(dir, 'backups'));
  const stopping = new AbortController();
  const deps = { ledger, incidents, clock, log, backupEveryMs: 86_400_000, backups: 5 };
  const running = upkeep(deps, stopping.signal);
  await clock.advance(80_000_000);
  expect(readdirSync(join(dir, 'backups'))).toEqual(made);
  await clock.advanceUntil(() => readdirSync(join(dir, 'backups')).length > 1, 1_000_000);
  stopping.abort();
  await running;
});

it('the upkeep reports once that backups have no place, and once that they have one again', async () => {
  const { dir, clock, incidents } = await place();
  writeFileSync(join(dir, 'backups'), 'a file in its place');
  await clock.advanceUntil(() => incidents.list().length === 1, 10_000);
  expect(incidents.list()).toMatchObject([
    { code: 'BACKUP_FAILED', params: { detail: expect.stringContaining(dir) as string } },
  ]);
  rmSync(join(dir, 'backups'));
  await clock.advanceUntil(() => incidents.list().length === 0, 3_600_000);
});

it('the upkeep finds damage that a quick check misses, and the next start repairs it', async () => {
  const { path, clock, incidents, ledger } = await place(0);
  // An index that contradicts its table.
  await ledger.admit(admission('a.jpg', 'a', { at: 0x11223344 }));
  await ledger.backup(null);
  const reader = new DatabaseSync(path, { readOnly: true });
  const root = reader.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'documents_created'").get();
  reader.close();
  new DatabaseSync(path).exec('PRAGMA wal_checkpoint(TRUNCATE)');
  const bytes = readFileSync(path);
  const page = (Number(root.rootpage) - 1) * 4_096;
  const at = bytes.indexOf(Buffer.from([0x11, 0x22, 0x33, 0x44]), page);
  expect(at).toBeLessThan(page + 4_096);
  bytes[at + 3] = 0x45;
  writeFileSync(path, bytes);
  await clock.advanceUntil(() => incidents.list().length === 1, 10_000);
  expect(incidents.list()).toMatchObject([{ code: 'LEDGER_DAMAGED' }]);
  const stories: string[] = [];
  await ledger.close();
  const mended = await openSqliteLedger({ path, clock, onMended: (story) => void stories.push(story) });
  expect(stories).toEqual([expect.stringContaining('"checkFound"')]);
  expect(existsSync(`${path}.damaged`)).toBe(false);
  expect(await mended.find('doc-a')).toHaveLength(1);
  await mended.close();
});

it.each([
  ['that is stopped with the agent', 'setTimeout(() => {}, 10_000);', 0],
  ['that is killed', "process.kill(process.pid, 'SIGKILL');", 1],
])('a check %s has found nothing', async (_, ends, said) => {
  const begins = `import fs from 'node:fs';
    fs.writeSync(1, 'half a verdict');
    fs.writeFileSync(new URL('begun', import.meta.url), '');`;
  const { dir, path, clock, log, incidents, stop } = await place(0, `${begins} ${ends}`);
  const begun = () => existsSync(join(dir, 'begun'));
  const warnings = () => log.lines.filter(({ level }) => level === 'warn').length;
  await clock.advanceUntil(() => begun() && warnings() === said, 10_000);
  await stop();
  expect(warnings()).toBe(said);
  expect(incidents.list()).toEqual([]);
  expect(existsSync(`${path}.damaged`)).toBe(false);
});

it('the upkeep counts the days of a laptop that mostly sleeps', async () => {
  const { dir, clock } = await place();
  const backups = join(dir, 'backups');
  const made = (): number =>
    existsSync(backups) ? readdirSync(backups).filter((name) => name.endsWith('.db')).length : 0;
  await clock.advanceUntil(() => made() === 1, 60_000);
  const before = clock.monotonic();
  for (let day = 0; day < 2; day += 1) {
    // Two hours awake, and the rest of the day asleep.
    await clock.advance(2 * 3_600_000);
    clock.jump(22 * 3_600_000);
  }
  await clock.advanceUntil(() => made() === 2, 60_000);
  expect(clock.monotonic() - before).toBeLessThan(8 * 3_600_000);
});
