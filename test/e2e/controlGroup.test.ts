/** Admins without root: what members of the control group can do, and what other users can't. */
import { spawn, spawnSync } from 'node:child_process';
import { chmod, chown, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { drawReceipt } from '../support/images.ts';
import { canMount } from '../support/ownMount.ts';
import { MAIN, prepare, Running, until, type Ended, type Site } from './support/agent.ts';
import { ordinaryUserCanRun } from './support/commandLine.ts';
import { runInProcess } from './support/inProcess.ts';
import { isRoot } from '../support/root.ts';

const [AGENT, MEMBER, OTHER, GROUP] = [61_001, 61_002, 61_003, 61_009];

/** Runs a command in this process, which becomes that user meanwhile. */
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
  const users = [`receipts:${AGENT}`, `ann:${MEMBER}`, `bob:${OTHER}`].map((each) => each.split(':'));
  const lines = users.map(([name, id]) => `${name}:x:${id}:${id}::/nonexistent:/bin/sh\n`);
  const groups = users.map(([name, id]) => `${name}:x:${id}:\n`);
  await writeFile(files.passwd, `${await readFile('/etc/passwd', 'utf8')}${lines.join('')}`);
  await writeFile(
    files.group,
    `${await readFile('/etc/group', 'utf8')}${groups.join('')}scanadmins:x:${GROUP}:ann,receipts\n`,
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

// Only root can become another user.
test.skipIf(!isRoot || !canMount() || !ordinaryUserCanRun)(
  'members of a control group read and control an agent that is not root, others can’t, and the ledger’s files stay private to the owner',
  async () => {
    const site = await prepare();
    const here = await ownUsers(site);
    await site.configure({ control: { group: 'scanadmins' } });
    for (const dir of [site.file('inbox'), site.stateDir]) {
      await mkdir(dir, { recursive: true });
      await chown(dir, AGENT, AGENT);
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
    expect((await stat(site.file('state', 'control.sock'))).gid).toBe(GROUP);
    expect((await stat(site.stateDir)).mode & 0o777).toBe(0o710);
    await writeFile(site.file('inbox', 'a.jpg'), await drawReceipt({ type: 'jpeg', seed: 'a' }));
    await until(async () => (await site.list('--state', 'accepted')).length === 1);

    expect(await launch('ann', 'pause', 'office').ended).toMatchObject({ status: 0 });
    const refused = await launch('bob', 'resume', 'office').ended;
    expect(refused.status).not.toBe(0);
    expect(refused.stdout).toBe('');
    expect(refused.stderr).toMatch(/^error: .*\[[A-Z_]+\]\n$/);

    const member = (...args: string[]) => quicklyAs(MEMBER, GROUP, site, ...args);
    expect((await member('status')).stdout).toContain('[UPLOADS_PAUSED]');
    expect(await member('resume', 'office')).toMatchObject({ status: 0 });
    const status = await member('status', '--json');
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
    expect(await member('show', 'nobody')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('DOCUMENT_UNKNOWN'),
    });

    const other = (...args: string[]) => quicklyAs(OTHER, OTHER, site, ...args);
    expect((await other('status')).stdout).toContain('a member of its control group');
    const unread = await other('list');
    expect(unread.status).not.toBe(0);
    expect(unread.stdout).toBe('');
    expect(unread.stderr).not.toContain('    at ');
    for (const file of ['ledger.db', 'ledger.journal', 'logs/receiptd.log']) {
      for (const [user, group] of [
        [MEMBER, GROUP],
        [OTHER, OTHER],
      ] as const) {
        const as = ['--reuid', String(user), '--regid', String(group), '--clear-groups'];
        expect(spawnSync('setpriv', [...as, 'cat', `${site.stateDir}/${file}`]).status).toBe(1);
      }
    }
    await agent.stop();
  },
);
