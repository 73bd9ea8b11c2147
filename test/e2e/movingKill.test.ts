import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { importState } from '../../src/compose/moving/importState.ts';
import { loadConfig } from '../../src/config/load.ts';
import { acquireInstanceLock } from '../../src/daemon/instanceLock.ts';
import { openSqliteReports } from '../../src/ledger/sqlite/openReports.ts';
import { verifyJournal } from '../../src/ledger/journal/verify.ts';
import { compile, runScript } from '../daemon/compiled.ts';
import { drawReceipt } from '../support/images.ts';
import { prepare, type Site } from './support/agent.ts';

/** What is there before, and what comes: told apart by the one name in each. */
const OLD = 'OLD';
const NEW = 'NEW';
/** Steps before this one leave the old state, so some of them will do. */
const COUNTS_FROM = 13;

interface Scene {
  readonly site: Site;
  readonly archive: string;
  readonly at: (dir: string) => Promise<Parameters<typeof importState>[0]>;
}

/** A PC with a ledger, a copy that waits and a backup, and the archive of another. */
async function scene(): Promise<Scene> {
  const site = await prepare({ spool: 'always' });
  const fill = async (name: string): Promise<void> => {
    await writeFile(site.file('inbox', `${name}.jpg`), await drawReceipt({ type: 'jpeg', seed: name }));
    await site.must('pause');
    expect((await site.once()).status).toBe(4);
    await site.must('ledger', 'backup');
  };
  await fill(NEW);
  const archive = site.file('archive');
  await site.must('export-state', archive);
  await rm(site.stateDir, { recursive: true });
  await rm(site.file('inbox', `${NEW}.jpg`));
  await fill(OLD);
  const context = { env: {}, cwd: site.dir, platform: process.platform, home: site.dir, isRoot: false };
  return {
    site,
    archive,
    at: async (stateDir) => ({ ...(await loadConfig(site.config, context)), stateDir }),
  };
}

/** Imports, and kills itself right before its n-th change of a file or directory. Says what that was, or how many there were. */
async function killed(url: string, config: unknown, file: string, nth: number): Promise<string> {
  const script = runScript(`
    import fs from 'node:fs/promises';
    import { writeSync } from 'node:fs';
    import { syncBuiltinESMExports } from 'node:module';
    let changes = 0;
    const change = (what) => {
      changes += 1;
      if (changes !== ${nth}) return;
      writeSync(1, what + '\\n');
      process.kill(process.pid, 'SIGKILL');
      for (;;);
    };
    const target = (args) => args.map(String).map((each) => each.split('/').at(-1)).join(' ');
    for (const name of ['rename', 'link', 'unlink', 'mkdir', 'rm', 'rmdir']) {
      const real = fs[name];
      fs[name] = (...args) => { change(name + ' ' + target(args)); return real(...args); };
    }
    syncBuiltinESMExports();
    const { importState } = await import(${JSON.stringify(url)});
    await importState(${JSON.stringify(config)}, { file: ${JSON.stringify(file)}, replace: true, by: 'test' });
    console.log('done ' + changes);
  `);
  try {
    return await script.line();
  } finally {
    await script.kill();
  }
}

/** Which of the two a state directory holds, whole; throws for a mixture. */
async function heldIn(stateDir: string): Promise<string> {
  const path = join(stateDir, 'ledger.db');
  const reports = await openSqliteReports({ path });
  try {
    const names: string[] = [];
    const hashes: string[] = [];
    for await (const { path: seen, sha256 } of reports.list({})) {
      names.push(/([A-Z]+)\.jpg$/.exec(seen)?.[1] ?? '');
      hashes.push(sha256 ?? '');
    }
    const [hash = ''] = hashes;
    // The copy of the image that waits came along.
    await readFile(join(stateDir, 'spool', hash.slice(0, 2), hash));
    const head = (await reports.head()) ?? undefined;
    const journal = await verifyJournal(join(stateDir, 'ledger.journal'), { head });
    if (journal.findings.length > 0) throw new Error(JSON.stringify(journal.findings));
    return names.join();
  } finally {
    await reports.close();
  }
}

test('a kill at any step leaves the old state or the new one, whole, and the import can be ended', async () => {
  const { site, archive, at } = await scene();
  const { url } = await compile('compose/moving/importState.ts');
  const config = await at(site.file('counted'));
  await cp(site.stateDir, config.stateDir, { recursive: true });
  const [, count] = (await killed(url, config, archive, 0)).split(' ').map(Number);
  expect(await heldIn(config.stateDir)).toBe(NEW);
  const ended: string[] = [];
  const steps: { n: number; what: string; held: string }[] = [];
  for (let n = 1; n <= (count ?? 0); n += n < COUNTS_FROM ? 4 : 1) {
    const stateDir = site.file(`n${n}`);
    await cp(site.stateDir, stateDir, { recursive: true });
    const what = await killed(url, { ...config, stateDir }, archive, n);
    // Whoever comes next ends what counts.
    await (await acquireInstanceLock(stateDir)).release();
    const held = await heldIn(stateDir);
    steps.push({ n, what, held });
    if (n % 4 === 1) {
      await importState({ ...config, stateDir }, { file: archive, replace: true, by: 'test' });
      ended.push(await heldIn(stateDir));
    }
    await rm(stateDir, { recursive: true });
  }
  expect(new Set(ended)).toEqual(new Set([NEW]));
  const turn = steps.findIndex(({ held }) => held === NEW);
  expect(turn, JSON.stringify(steps, null, 1)).toBeGreaterThan(2);
  expect(steps.slice(0, turn).every(({ held }) => held === OLD)).toBe(true);
  expect(steps.slice(turn).every(({ held }) => held === NEW)).toBe(true);
  // The mark itself is the step between the two, and there are many after it.
  expect(steps[turn - 1]?.what).toMatch(/^rename import\.json/);
  expect(steps.length - turn).toBeGreaterThan(10);
});
