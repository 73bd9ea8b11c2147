/** Admins without root: what members of the control group can do, and what other users can't. */
import { spawn, spawnSync } from 'node:child_process';
import { chmod, chown, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { drawReceipt } from '../support/images.ts';
import { canMount } from '../support/ownMount.ts';
import { MAIN, prepare, Running, until, type Ended, type Site } from './support/agent.ts';
import { ordinaryUserCanRun } from './support/commandLine.ts';
import { runInProcess } from './support/inProcess.ts';
import { isRoot } from '../support/root.ts';

const GROUP = 54_321;
const MEMBER = 54_322;
const OTHER = 54_323;

/** Runs a command as another user, who may read the configuration file but not the state directory. */
function as(user: number, group: number, site: Site, ...args: string[]) {
  const command = [process.execPath, MAIN, ...args, '--config', site.config];
  const { status, stdout, stderr } = spawnSync(
    'setpriv',
    ['--reuid', String(user), '--regid', String(group), '--clear-groups', ...command],
    { encoding: 'utf8', cwd: '/', env: { PATH: process.env['PATH'], HOME: '/', LANG: 'C' } },
  );
  return { status, stdout, stderr };
}

/** Like `as`, but in this process, which becomes that user meanwhile. */
async function quicklyAs(user: number, group: number, site: Site, ...args: string[]): Promise<Ended> {
  const groups = process.getgroups?.() ?? [];
  process.setgroups?.([]);
  process.setegid?.(group);
  process.seteuid?.(user);
  try {
    const env = { PATH: process.env['PATH'] ?? '', HOME: '/', LANG: 'C' };
    return await runInProcess([...args, '--config', site.config], { cwd: '/', env });
  } finally {
    process.seteuid?.(0);
    process.setegid?.(0);
    process.setgroups?.(groups);
  }
}

/**
 * A machine with a group `scanadmins` and three ordinary users, of whom only ann is in that group. Separate files replace
 * /etc/passwd and /etc/group, for the processes of this test alone.
 */
async function ownUsers(site: Site): Promise<(command: readonly string[]) => [string, string[]]> {
  const files = { passwd: site.file('passwd'), group: site.file('group') };
  const users = ['receipts:61001', 'ann:61002', 'bob:61003'].map((each) => each.split(':'));
  const lines = users.map(([name, id]) => `${name}:x:${id}:${id}::/nonexistent:/bin/sh\n`);
  const groups = users.map(([name, id]) => `${name}:x:${id}:\n`);
  await writeFile(files.passwd, `${await readFile('/etc/passwd', 'utf8')}${lines.join('')}`);
  await writeFile(
    files.group,
    `${await readFile('/etc/group', 'utf8')}${groups.join('')}scanadmins:x:61009:ann,receipts\n`,
  );
  const script = 'mount --bind "$1" /etc/passwd && mount --bind "$2" /etc/group && shift 2 && exec "$@"';
  return (command) => ['unshare', ['-m', 'sh', '-c', script, 'sh', files.passwd, files.group, ...command]];
}

/** Runs it as that user, with the groups in /etc/group. */
const loggedInAs = (name: string, ...command: string[]) => [
  'setpriv',
  `--reuid=${name}`,
  `--regid=${name}`,
  '--init-groups',
  ...command,
];

const canBe = isRoot && canMount();

describe.skipIf(!canBe)('with a control group by name', () => {
  test('an ordinary user in the group reads and controls an agent that is not root, and others can’t', async () => {
    const site = await prepare();
    const here = await ownUsers(site);
    await site.configure({ control: { group: 'scanadmins' } });
    for (const dir of [site.file('inbox'), site.stateDir]) {
      await mkdir(dir, { recursive: true });
      await chown(dir, 61_001, 61_001);
    }
    await chmod(site.dir, 0o755);
    await chmod(site.config, 0o644);
    const env = { PATH: process.env['PATH'], HOME: '/', LANG: 'C', ...site.env };
    const launch = (name: string, ...args: string[]) => {
      const command = loggedInAs(name, process.execPath, MAIN, ...args, '--config', site.config);
      return new Running(spawn(...here(command), { cwd: '/', env, stdio: ['ignore', 'pipe', 'pipe'] }));
    };
    const agent = launch('receipts', 'run');
    await agent.logged('receiptd has started');
    expect((await stat(site.file('state', 'control.sock'))).gid).toBe(61_009);
    expect(await launch('ann', 'pause', 'office').ended).toMatchObject({ status: 0 });
    expect((await launch('ann', 'status').ended).stdout).toContain('[UPLOADS_PAUSED]');
    const refused = await launch('bob', 'resume', 'office').ended;
    expect(refused.status).not.toBe(0);
    expect(refused.stderr).toMatch(/^error: .*\[[A-Z_]+\]\n$/);
    await agent.stop();
  });
});

// Only root can become another user.
describe.skipIf(!isRoot || !ordinaryUserCanRun)('with a control group', () => {
  test('members read and control the agent, others can’t, and the ledger’s files stay private to the owner', async () => {
    const site = await prepare();
    await site.configure({ control: { group: String(GROUP) } });
    await chmod(site.dir, 0o755);
    await chmod(site.config, 0o644);
    await writeFile(site.file('inbox', 'a.jpg'), await drawReceipt({ type: 'jpeg', seed: 'a' }));
    const agent = await site.start();
    await until(async () => (await site.list('--state', 'accepted')).length === 1);
    expect((await stat(site.stateDir)).mode & 0o777).toBe(0o710);

    const member = (...args: string[]) => quicklyAs(MEMBER, GROUP, site, ...args);
    const status = as(MEMBER, GROUP, site, 'status', '--json');
    expect(status.stderr).toBe('');
    expect(JSON.parse(status.stdout)).toMatchObject({ daemon: { inFlight: 0 }, silent: null });
    const listed = JSON.parse((await member('list', '--json')).stdout) as [{ name: string; state: string }];
    expect(listed).toMatchObject([{ state: 'accepted' }]);
    const [{ name }] = listed;
    expect(JSON.parse((await member('show', name, '--json')).stdout)).toMatchObject([
      { name, attempts: [{ httpStatus: 200 }] },
    ]);
    expect((await member('export', '--format', 'csv')).stdout).toContain(name);
    expect((await member('endpoint', 'list')).stdout).toContain('office');
    expect(await member('results', 'list')).toMatchObject({ status: 0, stdout: 'None yet.\n' });
    expect((await member('results', 'url', '--base', 'https://a.example')).stdout).toMatch(
      /^https:\/\/a\.example\/results\/[\w-]{43}\n$/,
    );
    expect(as(MEMBER, GROUP, site, 'pause', 'office')).toMatchObject({ status: 0 });
    expect((await member('status')).stdout).toContain('paused');
    expect(await member('resume', 'office')).toMatchObject({ status: 0 });
    expect(await member('show', 'nobody')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('DOCUMENT_UNKNOWN'),
    });

    const other = (...args: string[]) => quicklyAs(OTHER, OTHER, site, ...args);
    expect((await other('status')).stdout).toContain('a member of its control group');
    for (const args of [['list'], ['pause', 'office']]) {
      const refused = args[0] === 'list' ? await other(...args) : as(OTHER, OTHER, site, ...args);
      expect(refused.status).not.toBe(0);
      expect(refused.stdout).toBe('');
      expect(refused.stderr).not.toContain('    at ');
    }
    for (const file of ['ledger.db', 'ledger.journal', 'logs/receiptd.log']) {
      for (const [user, group] of [
        [MEMBER, GROUP],
        [OTHER, OTHER],
      ] as const)
        expect(
          spawnSync('setpriv', [
            '--reuid',
            String(user),
            '--regid',
            String(group),
            '--clear-groups',
            'cat',
            `${site.stateDir}/${file}`,
          ]).status,
        ).toBe(1);
    }
    await agent.stop();
  });
});
