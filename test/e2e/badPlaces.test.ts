import { spawnSync } from 'node:child_process';
import { chmod, mkdir, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { DatabaseSync } from '@photostructure/sqlite';
import { describe, expect, test } from 'vitest';
import { drawReceipt } from '../support/images.ts';
import { asOrdinaryUser } from '../support/ordinaryUser.ts';
import { requirement } from '../support/requires.ts';
import { prepare, until, type Ended, type Site } from './support/agent.ts';
import { expectNoTrace, giveAway, ordinaryUserCanRun, quickly, shell } from './support/commandLine.ts';

const jpeg = (seed: string) => drawReceipt({ type: 'jpeg', seed });

async function drop(site: Site, name: string): Promise<Buffer> {
  const bytes = await jpeg(name);
  await writeFile(site.file('inbox', name), bytes);
  return bytes;
}

async function states(site: Site): Promise<Record<string, string>> {
  return Object.fromEntries(
    (await site.list()).map(({ path, state, reason }) => [
      path.slice(path.lastIndexOf('/') + 1),
      reason === null || state === 'accepted' ? state : `${state} ${reason}`,
    ]),
  );
}

function finding(ended: Ended, subject: string): string {
  return ended.stdout.split('\n').find((line) => line.includes(` ${subject}: `)) ?? '';
}

describe('a watched folder', () => {
  test('that is a file is reported by check, and waited for, and so is one that is missing', async () => {
    const site = await prepare();
    await rm(site.file('inbox'), { recursive: true });
    const missing = await site.look('check');
    expect(finding(missing, site.file('inbox'))).toMatch(/^warn .*does not exist.*\[FOLDER_MISSING\]$/);
    expect((await site.quickOnce()).status).toBe(4);
    await writeFile(site.file('inbox'), '');
    const checked = await site.look('check');
    expect(checked.status).toBe(1);
    expect(finding(checked, site.file('inbox'))).toMatch(
      /^FAIL .*is not a folder.*\[FOLDER_NOT_A_DIRECTORY\]$/,
    );
    const once = await site.quickOnce();
    expect(once.status).toBe(4);
    expect(once.stdout).toContain(site.file('inbox'));
    expectNoTrace(once);
  });

  test.skipIf(!ordinaryUserCanRun)('that is unreadable is reported by check, and waited for', async () => {
    const site = await prepare();
    await drop(site, 'a.jpg');
    await chmod(site.file('inbox'), 0o000);
    await giveAway(site.dir);
    const config = ['--config', site.config];
    const checked = await asOrdinaryUser(() => quickly(site, ['check', ...config]));
    expect(checked.status).toBe(1);
    expect(finding(checked, site.file('inbox'))).toMatch(
      /^FAIL .*can’t be read.*user.*\[FOLDER_UNREADABLE\]$/,
    );
    const once = await asOrdinaryUser(() => quickly(site, ['run', '--once', ...config]));
    expect(once.status).toBe(4);
    expectNoTrace(once);
    await chmod(site.file('inbox'), 0o700);
    expect((await asOrdinaryUser(() => quickly(site, ['run', '--once', ...config]))).status).toBe(0);
    expect(site.sandbox.received()).toHaveLength(1);
  });
});

describe('a folder with odd files', () => {
  test('still sends an image, and gives each odd file a verdict', async () => {
    const site = await prepare({ log: { level: 'debug' } });
    await drop(site, 'good.jpg');
    await writeFile(site.file('inbox', 'empty.jpg'), '');
    await writeFile(site.file('inbox', 'huge.jpg'), '');
    await truncate(site.file('inbox', 'huge.jpg'), 300_000_000);
    await writeFile(site.file('inbox', 'text.jpg'), 'Milk 1.20, bread 2.40, sum 3.60');
    await symlink('loop.jpg', site.file('inbox', 'loop.jpg'));
    await symlink('.', site.file('inbox', 'round'));
    if (process.platform !== 'win32') spawnSync('mkfifo', [site.file('inbox', 'pipe.jpg')]);
    const ended = await site.quickOnce();
    expectNoTrace(ended);
    expect(ended.status).toBe(3);
    expect(await states(site)).toEqual({
      'good.jpg': 'accepted',
      'empty.jpg': 'incomplete EMPTY',
      'huge.jpg': 'rejected TOO_LARGE',
      'text.jpg': 'rejected DAMAGED',
    });
    const table = await site.quickMust('list');
    expect(table).toContain('Damaged, or not an image: it looks like text.');
    expect(table).not.toMatch(/not an image: (?:damaged|not an image)/i);
    expect((await site.look('check')).stdout).toMatch(/symbolic links in it are not followed/);
  });

  const WILD = 'a\nb\u001b]0;evil\u0007\u009b31m\u202egpj.jpg';
  const RAW = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/;

  test('sends no raw line breaks or terminal commands to the terminal', async () => {
    const site = await prepare();
    await drop(site, WILD);
    await writeFile(site.file('inbox', `text${WILD}`), 'Milk 1.20, bread 2.40, sum 3.60');
    const dry = await site.look('run', '--dry-run');
    expect(dry.stdout).not.toMatch(RAW);
    const ended = await site.quickOnce();
    expect(ended.stderr).not.toMatch(RAW);
    expect(ended.stderr).toContain('evil');
    const name = (await site.list('--state', 'accepted'))[0]?.name ?? '';
    for (const args of [['list'], ['list', '--json'], ['status'], ['show', name], ['show', name, '--json']]) {
      const { status, stdout } = await site.look(...args);
      expect(status, args.join(' ')).toBe(0);
      expect(stdout, args.join(' ')).not.toMatch(RAW);
    }
    // A header, a rule, and one line per file: no name breaks a line.
    expect((await site.quickMust('list')).trimEnd().split('\n')).toHaveLength(4);
    expect((await site.list()).map(({ path }) => path).sort()).toEqual(
      [site.file('inbox', WILD), site.file('inbox', `text${WILD}`)].sort(),
    );
    const [printed = ''] = (await site.quickMust('list')).match(/a\\nb.*gpj\.jpg/) ?? [];
    expect(await site.quickMust('show', printed)).toContain(name);
    const gone = await site.look('show', WILD);
    expect(gone.stderr).not.toMatch(RAW);
  });

  const script = requirement('script', spawnSync('script', ['--version']).status === 0, 'Debian: util-linux');
  test.skipIf(!script)(
    'causes no raw names or empty fields on a terminal, with --verbose or without',
    async () => {
      const site = await prepare();
      for (const [option, shown] of [
        ['--verbose', /Accepted.*evil/],
        ['', /1 accepted/],
      ] as const) {
        await drop(site, `${option}${WILD}`);
        const run = `$RECEIPTD run --once ${option} --config ${site.config}`;
        const ended = await shell(site, `script -qec "${run}" /dev/null`);
        expect(ended.status).toBe(0);
        expect(ended.stdout).toMatch(shown);
        expect(ended.stdout).not.toMatch(/\u001b\]|\u0007|\u009b|\u202e/);
        expect(ended.stdout).not.toMatch(/=null|=undefined|\[object/);
      }
    },
  );
});

describe('the state directory', () => {
  test('that is a file, or below one, is refused', async () => {
    const site = await prepare();
    await drop(site, 'a.jpg');
    const file = site.file('file');
    await writeFile(file, 'mine');
    for (const RECEIPTD_STATE_DIR of [file, `${file}/below`]) {
      const how = { env: { RECEIPTD_STATE_DIR } };
      for (const args of [['run', '--once'], ['run'], ['retry', '--all'], ['endpoint', 'create', 'x']])
        expect(await quickly(site, [...args, '--config', site.config], how)).toBeRefused(
          1,
          'STATE_UNWRITABLE',
          RECEIPTD_STATE_DIR,
          'RECEIPTD_STATE_DIR',
        );
      expect(await quickly(site, ['list', '--config', site.config], how)).toBeRefused(
        1,
        'LEDGER_MISSING',
        RECEIPTD_STATE_DIR,
      );
    }
    expect(await readFile(file, 'utf8')).toBe('mine');
    expect(site.sandbox.received()).toEqual([]);
  });

  test.skipIf(!ordinaryUserCanRun)('that is read-only is refused before any upload', async () => {
    const site = await prepare();
    await drop(site, 'a.jpg');
    await mkdir(site.stateDir);
    await giveAway(site.dir);
    await chmod(site.stateDir, 0o500);
    const ordinary = (...args: string[]) => asOrdinaryUser(() => site.look(...args));
    const once = await ordinary('run', '--once');
    expect(once).toBeRefused(1, 'STATE_UNWRITABLE', site.stateDir, 'permission denied');
    const checked = await ordinary('check');
    expect(checked.status).toBe(1);
    expect(finding(checked, 'state')).toMatch(/^FAIL .*\[STATE_UNWRITABLE\]$/);
    expect(site.sandbox.received()).toEqual([]);
    await chmod(site.stateDir, 0o700);
    expect((await ordinary('run', '--once')).status).toBe(0);
    expect(site.sandbox.received()).toHaveLength(1);
  });
});

const proc = requirement('/proc', process.platform === 'linux', 'Linux has it');
test.skipIf(!proc)(
  'a directory that the file system does not create is reported, not tried forever',
  async () => {
    const site = await prepare();
    const RECEIPTD_STATE_DIR = '/proc/none/state';
    expect(
      await quickly(site, ['run', '--once', '--config', site.config], { env: { RECEIPTD_STATE_DIR } }),
    ).toBeRefused(1, 'STATE_UNWRITABLE', RECEIPTD_STATE_DIR, 'could not be created');
    expect(await quickly(site, ['sandbox', '--dir', '/proc/none'])).toBeRefused(
      2,
      'USAGE',
      '/proc/none',
      '--dir',
    );
    await site.quickOnce();
    await site.quickMust('backup', 'b.receiptd');
    expect(await site.look('restore', '--beside', '/proc/none/copy', 'b.receiptd')).toBeRefused(
      1,
      'OUTPUT_UNWRITABLE',
      '/proc/none/copy',
      '--beside',
    );
  },
);

describe('a ledger', () => {
  async function refused(site: Site, code: string, ...words: string[]): Promise<void> {
    const ledger = `${site.stateDir}/ledger.db`;
    const before = await readFile(ledger);
    for (const args of [['run'], ['list'], ['retry', '--all']])
      expect(await site.look(...args)).toBeRefused(1, code, ledger, ...words);
    expect((await readFile(ledger)).equals(before)).toBe(true);
  }

  async function used(): Promise<Site> {
    const site = await prepare();
    await drop(site, 'a.jpg');
    expect((await site.quickOnce()).status).toBe(0);
    await drop(site, 'b.jpg');
    return site;
  }

  test('of a newer version is refused and left alone', async () => {
    const site = await used();
    const db = new DatabaseSync(`${site.stateDir}/ledger.db`);
    db.exec('PRAGMA user_version = 99');
    db.close();
    await refused(site, 'LEDGER_NEWER', 'version 99', 'newer receiptd');
    expect(site.sandbox.received()).toHaveLength(1);
  });

  test('that is damaged, empty or gone is rebuilt from its journal, which is reported, and nothing is sent again', async () => {
    const site = await used();
    const ledger = `${site.stateDir}/ledger.db`;
    const [before] = await site.list();
    for (const damage of [
      () => writeFile(ledger, 'text that somebody saved here'.repeat(200)),
      () => truncate(ledger, 0),
      () => rm(ledger),
    ]) {
      await damage();
      const once = await site.quickOnce();
      expect(once.status).toBe(0);
      expect(once.stderr).toContain('The ledger was rebuilt');
      expectNoTrace(once);
      const after = (await site.list()).find(({ path }) => path === before?.path);
      expect({ ...after, updatedAt: '' }).toEqual({ ...before, updatedAt: '' });
      // Only new files were sent.
      expect(site.sandbox.received()).toHaveLength(2);
    }
    expect((await site.look('ledger', 'verify')).status).toBe(0);
  });
});

test('an agent stops if its ledger is removed during a run, and the next start rebuilds it', async () => {
  const site = await prepare();
  const agent = await site.quickStart();
  await drop(site, 'a.jpg');
  await until(() => site.sandbox.received().length === 1);
  await until(async () => (await site.list())[0]?.state === 'accepted');
  await rm(`${site.stateDir}/ledger.db`);
  const ended = await agent.ended;
  expect(ended.status).toBe(1);
  expect(ended.stderr).toContain('[STATE_UNWRITABLE]');
  expectNoTrace(ended);
  const again = await site.quickStart();
  expect(await site.quickMust('status')).toContain('The ledger was rebuilt');
  await again.stop();
  expect((await site.list()).map(({ state }) => state)).toEqual(['accepted']);
  expect(site.sandbox.received()).toHaveLength(1);
});
