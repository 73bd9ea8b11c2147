import { existsSync } from 'node:fs';
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readBackup } from '../../src/features/backup/readBackup.ts';
import { restoreBackup } from '../../src/features/backup/restoreBackup.ts';
import { inspectBackup } from '../../src/features/backup/source.ts';
import { loadConfig } from '../../src/config/load.ts';
import { acquireInstanceLock } from '../../src/state-dir/instanceLock.ts';
import { movedAway } from '../../src/state-dir/stateMarks.ts';
import { openSqliteReports } from '../../src/ledger/sqlite/openReports.ts';
import { verifyJournal } from '../../src/ledger/journal/verify.ts';
import { keepForFile } from '../support/cleanUp.ts';
import { chosenOf } from '../support/everyCase.ts';
import { compile, runScript } from '../support/scripts.ts';
import { drawReceipt } from '../support/images.ts';
import { prepare, type Site } from './support/agent.ts';

/** The old state and the restored state, each identified by its only name. */
const OLD = 'OLD';
const NEW = 'NEW';
/** The step that sets the mark. */
const MARK = 'rename restore.json';

let site: Site;
let archive: string;
let end: (() => Promise<void>) | undefined;
/** The configuration, with another state directory. */
let at: (stateDir: string) => Promise<Parameters<typeof restoreBackup>[0]>;

/** A PC with a ledger, a waiting image in the spool and a backup, and the archive of another PC. */
beforeAll(async () => {
  site = await prepare({ spool: 'always' });
  archive = site.file('archive');
  await site.sandbox.close();
  const fill = async (name: string): Promise<void> => {
    await writeFile(site.file('inbox', `${name}.jpg`), await drawReceipt({ type: 'jpeg', seed: name }));
    // In a separate process, because a ledger that was open in this one keeps its log until garbage collection.
    expect((await site.once('--wait', '0s')).status).toBe(5);
  };
  await fill(NEW);
  await site.quickMust('backup', archive);
  await rm(site.stateDir, { recursive: true });
  await rm(site.file('inbox', `${NEW}.jpg`));
  await fill(OLD);
  await site.must('backup');
  const context = { env: {}, cwd: site.dir, platform: process.platform, home: site.dir, isRoot: false };
  at = async (stateDir) => ({ ...(await loadConfig(site.config, context)), stateDir });
  end = keepForFile();
});
afterAll(() => end?.());

/**
 * Does `work`, and kills itself just before its n-th change of a file or directory; with `MARK`, n counts from the mark, which is 0.
 * @returns that change, or all changes if the work was completed
 */
async function killed(work: string, nth: number, from = ''): Promise<string> {
  const script = runScript(`
    import fs from 'node:fs/promises';
    import { writeSync } from 'node:fs';
    import { syncBuiltinESMExports } from 'node:module';
    const changes = [];
    const change = (what) => {
      changes.push(what);
      const mark = changes.findIndex((each) => each.startsWith(${JSON.stringify(from)}));
      const count = ${from === ''} ? changes.length : mark < 0 ? -1 : changes.length - 1 - mark;
      if (count !== ${nth}) return;
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
    ${work}
    console.log('done ' + JSON.stringify(changes));
  `);
  try {
    return await script.line();
  } finally {
    await script.kill();
  }
}

/** In the middle and before the last change, besides `more`. */
function chosenKills({ length }: readonly string[], ...more: number[]): number[] {
  const numbers = Array.from({ length }, (_, index) => index + 1);
  return chosenOf(numbers, (n) => [Math.ceil(length / 2), length, ...more].includes(n));
}

/** All changes of `work`. Needs its own copy of the state directory. */
async function changesOf(work: string): Promise<string[]> {
  const said = await killed(work, 0);
  return JSON.parse(said.slice('done '.length)) as string[];
}

/** Which of the two states a state directory holds. @throws Error if it holds a mixture */
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
    // The copy of the waiting image is there too.
    await readFile(join(stateDir, 'spool', hash.slice(0, 2), hash));
    const head = (await reports.head()) ?? undefined;
    const journal = await verifyJournal(join(stateDir, 'ledger.journal'), { head });
    if (journal.findings.length > 0) throw new Error(JSON.stringify(journal.findings));
    return names.join();
  } finally {
    await reports.close();
  }
}

async function copyOf(from: string, name: string): Promise<string> {
  const stateDir = site.file(name);
  await cp(from, stateDir, { recursive: true });
  return stateDir;
}

/** The next command that opens the ledger for writing. */
async function comeNext(stateDir: string): Promise<string> {
  await (await acquireInstanceLock(stateDir)).release();
  return heldIn(stateDir);
}

test('a restore killed at any step leaves the complete old or new state, and can be finished', async () => {
  const { url } = await compile('features/backup/restoreBackup.ts');
  const config = await at(site.stateDir);
  const how = {
    file: archive,
    source: await inspectBackup(archive),
    replace: true,
    older: false,
    isCopy: false,
    by: 'test',
  };
  const importing = (stateDir: string): string => `
    const { restoreBackup } = await import(${JSON.stringify(url)});
    await restoreBackup(${JSON.stringify({ ...config, stateDir })}, ${JSON.stringify(how)});`;

  // Before the mark, all steps are of one kind, so one of them suffices. The last one is the mark itself.
  for (const [n, from] of [
    [9, ''],
    [0, MARK],
  ] as const) {
    const stateDir = await copyOf(site.stateDir, `before${n}`);
    const what = await killed(importing(stateDir), n, from);
    expect(await comeNext(stateDir), what).toBe(OLD);
    expect(what.startsWith(MARK)).toBe(n === 0);
    await restoreBackup({ ...config, stateDir }, how);
    expect(await heldIn(stateDir)).toBe(NEW);
  }

  // From the mark on, the next command finishes the restore, and may itself be killed at each step.
  const marked = await copyOf(site.stateDir, 'marked');
  await killed(importing(marked), 1, MARK);
  const { url: ending } = await compile('state-dir/stateMarks.ts');
  const finishing = (stateDir: string): string => `
    const { finishRestore } = await import(${JSON.stringify(ending)});
    await finishRestore(${JSON.stringify(stateDir)});`;
  const changes = await changesOf(finishing(await copyOf(marked, 'counted')));
  expect(changes.length).toBeGreaterThan(15);
  let ended = '';
  for (const n of chosenKills(changes)) {
    const stateDir = await copyOf(marked, `after${n}`);
    const what = await killed(finishing(stateDir), n);
    expect(await comeNext(stateDir), `${n}: ${what}`).toBe(NEW);
    ended = stateDir;
  }
  // The same backup is now an earlier state of the ledger.
  const again = await restoreBackup({ ...config, stateDir: ended }, how);
  expect(again).toMatchObject({ relation: 'earlier', documents: 1 });
});

test('a final backup killed at any step never leaves an archive beside a PC that stays open', async () => {
  const [{ url }, { url: ledger }, { url: lock }] = [
    await compile('features/backup/makeBackup.ts'),
    await compile('wiring/ledger.ts'),
    await compile('state-dir/instanceLock.ts'),
  ];
  const config = await at(site.stateDir);
  const closing = (stateDir: string, file: string): string => `
    const [{ makeBackup }, { copyLedger }, { acquireInstanceLock }] = [
      await import(${JSON.stringify(url)}), await import(${JSON.stringify(ledger)}), await import(${JSON.stringify(lock)}),
    ];
    const config = ${JSON.stringify({ ...config, stateDir })};
    await acquireInstanceLock(config.stateDir);
    await makeBackup(config, {
      file: ${JSON.stringify(file)}, version: '0.0.0', final: true,
      copyLedger: (target) => copyLedger(config, target), onWithoutImage: async () => {},
    });`;
  const changes = await changesOf(closing(await copyOf(site.stateDir, 'all'), site.file('counted.receiptd')));
  // The step after which the machine is closed and the archive is not in place yet.
  const closed = changes.findIndex((change) => change.startsWith('rename moved-away.json')) + 1;
  const seen = new Set<string>();
  for (const n of chosenKills(changes, closed + 1)) {
    const stateDir = await copyOf(site.stateDir, `closing${n}`);
    const file = site.file(`closing${n}.receiptd`);
    const what = await killed(closing(stateDir, file), n);
    const archive = existsSync(file) ? await readBackup(file, null) : { final: 'none' };
    const state = `${archive.final === true ? 'archive' : archive.final}, ${(await movedAway(stateDir)) ? 'closed' : 'open'}`;
    seen.add(state);
    expect(state, what).not.toBe('archive, open');
  }
  expect([...seen].toSorted()).toEqual(['archive, closed', 'none, closed', 'none, open']);
});
