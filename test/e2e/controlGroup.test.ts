/** Admins who are not root: what a member of the control group can do, and what another user can't. */
import { spawnSync } from 'node:child_process';
import { chmod, stat, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { drawReceipt } from '../support/images.ts';
import { MAIN, prepare, until, type Site } from './support/agent.ts';

const GROUP = 54_321;
const MEMBER = 54_322;
const OTHER = 54_323;
const isRoot = process.geteuid?.() === 0;

/** A command of somebody else, who may read the config file and nothing of the state directory. */
function as(user: number, group: number, site: Site, ...args: string[]) {
  const command = [process.execPath, MAIN, ...args, '--config', site.config];
  const { status, stdout, stderr } = spawnSync(
    'setpriv',
    ['--reuid', String(user), '--regid', String(group), '--clear-groups', ...command],
    { encoding: 'utf8', cwd: '/', env: { PATH: process.env['PATH'], HOME: '/', LANG: 'C' } },
  );
  return { status, stdout, stderr };
}

// Only root can be somebody else.
describe.skipIf(!isRoot)('with a control group', () => {
  test('its members look and steer, others do neither, and the ledger’s files stay the owner’s', async () => {
    const site = await prepare();
    await site.configure({ control: { group: String(GROUP) } });
    await chmod(site.dir, 0o755);
    await chmod(site.config, 0o644);
    await writeFile(site.file('inbox', 'a.jpg'), await drawReceipt({ type: 'jpeg', seed: 'a' }));
    const agent = await site.start();
    await until(() => site.sandbox.received().length === 1);
    expect((await stat(site.stateDir)).mode & 0o777).toBe(0o710);

    const member = (...args: string[]) => as(MEMBER, GROUP, site, ...args);
    const status = member('status', '--json');
    expect(status.stderr).toBe('');
    expect(JSON.parse(status.stdout)).toMatchObject({ daemon: { inFlight: 0 }, silent: null });
    const listed = JSON.parse(member('list', '--json').stdout) as [{ name: string; state: string }];
    expect(listed).toMatchObject([{ state: 'accepted' }]);
    const [{ name }] = listed;
    expect(JSON.parse(member('show', name, '--json').stdout)).toMatchObject([
      { name, attempts: [{ httpStatus: 200 }] },
    ]);
    expect(member('export', '--format', 'csv').stdout).toContain(name);
    expect(member('endpoint', 'list').stdout).toContain('office');
    expect(member('results', 'list')).toMatchObject({ status: 0, stdout: 'None yet.\n' });
    expect(member('results', 'url', '--base', 'https://a.example').stdout).toMatch(
      /^https:\/\/a\.example\/results\/[\w-]{43}\n$/,
    );
    expect(member('pause', 'office')).toMatchObject({ status: 0 });
    expect(member('status').stdout).toContain('paused');
    expect(member('resume', 'office')).toMatchObject({ status: 0 });
    expect(member('show', 'nobody')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('DOCUMENT_UNKNOWN'),
    });

    const other = (...args: string[]) => as(OTHER, OTHER, site, ...args);
    expect(other('status').stdout).toContain('a member of its control group');
    for (const args of [['list'], ['pause', 'office']]) {
      const refused = other(...args);
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
