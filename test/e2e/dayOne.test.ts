/** What happens to a running agent from outside: cleaners, signals, a lack of descriptors, files that are renewed or written by other programs. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { drawReceipt } from '../support/images.ts';
import { makeOwned, ordinaryOwner } from '../support/ordinaryUser.ts';
import { canMount } from '../support/ownMount.ts';
import { requirement } from '../support/requires.ts';
import { MAIN, prepare, type Site, storedOnce, until } from './support/agent.ts';
import { ordinaryUserCanRun } from './support/commandLine.ts';

const isUnix = process.platform !== 'win32';
const hasPrlimit = requirement(
  'prlimit',
  spawnSync('prlimit', ['--version']).status === 0,
  'Debian: util-linux',
);

let drawn = 0;
async function scanIsSent(site: Site): Promise<void> {
  const before = site.sandbox.received().length;
  const name = `${(drawn += 1)}.jpg`;
  await writeFile(site.file('inbox', name), await drawReceipt({ type: 'jpeg', seed: name }));
  await until(() => site.sandbox.received().length > before, `${name} to be sent`);
}

describe.skipIf(!isUnix)('a running agent', () => {
  test('makes its control socket again, and is never called "Not running", whether that is gone or nobody answers', async () => {
    const site = await prepare();
    const agent = await site.start();
    const status = async (): Promise<string> => {
      const { stdout, stderr } = await site.look('status');
      return stdout + stderr;
    };
    const socket = join(site.stateDir, 'control.sock');
    agent.signal('SIGSTOP');
    await rm(socket);
    expect(await site.look('status')).toMatchObject({
      status: 1,
      stdout: expect.stringContaining(`process ${agent.pid}`),
    });
    expect(await site.look('status', '--running')).toMatchObject({ status: 1 });
    expect(await site.look('reload')).toBeRefused(6, 'ALREADY_RUNNING');
    expect(await site.look('retry', '--all')).toBeRefused(6, 'ALREADY_RUNNING');
    agent.signal('SIGCONT');
    await agent.logged('The control socket was removed or replaced');
    await until(async () => (await site.look('status', '--running')).status === 0);
    // As a copied state directory has it.
    await rename(socket, `${socket}.old`);
    expect(await status()).not.toContain('Not running');
    expect(await agent.stop()).toMatchObject({ status: 0 });
    expect(existsSync(socket)).toBe(false);
    expect(await status()).toContain('Not running');
  });

  test.skipIf(!hasPrlimit)('goes on without what it can do without while no descriptor is left', async () => {
    const site = await prepare();
    const agent = await site.start();
    await scanIsSent(site);
    const limit = (value: string) =>
      execFileSync('prlimit', ['--pid', String(agent.pid), `--nofile=${value}:`]);
    limit('1');
    await agent.logged('The agent goes on without freeing memory when idle');
    limit('1024');
    await scanIsSent(site);
    expect(await agent.stop()).toMatchObject({ status: 0 });
  });

  test('opens no debugger, at a signal or because of the environment', async () => {
    const site = await prepare();
    site.env = { ...site.env, NODE_OPTIONS: '--inspect=127.0.0.1:0' };
    const agent = await site.start();
    const [, port = ''] = /ws:\/\/127\.0\.0\.1:(\d+)/.exec(agent.stderr) ?? [];
    for (const signal of ['SIGUSR1', 'SIGUSR2'] as const) agent.signal(signal);
    await scanIsSent(site);
    expect(agent.stderr.match(/Debugger listening/g) ?? []).toHaveLength(port === '' ? 0 : 1);
    const asked = fetch(`http://127.0.0.1:${port || 1}/json`).then(
      () => 'answered',
      () => 'refused',
    );
    expect(await asked).toBe('refused');
    expect(await agent.stop()).toMatchObject({ status: 0 });
  });

  test('begins a log anew that was removed or renamed, goes on without one, and says so', async () => {
    const site = await prepare();
    const agent = await site.start();
    const logs = join(site.stateDir, 'logs');
    const log = join(logs, 'receiptd.log');
    const said = (): number => agent.stderr.split('a new one was begun').length - 1;
    for (const [at, spoil] of [
      () => rm(logs, { recursive: true }),
      () => rename(log, `${log}-20260101`),
      async () => {
        await rename(log, `${log}.1`);
        await writeFile(log, '');
      },
    ].entries()) {
      await scanIsSent(site);
      await spoil();
      // The file is looked for once a second.
      await until(async () => {
        if (said() <= at) await scanIsSent(site);
        return said() > at;
      });
      await until(async () => (await readFile(log, 'utf8')).includes('a new one was begun'));
    }
    await rm(logs, { recursive: true });
    await writeFile(logs, 'in the way');
    await until(async () => {
      await scanIsSent(site);
      return (await site.look('status')).stdout.includes('[LOG_UNWRITABLE]');
    });
    expect(await agent.stop()).toMatchObject({ status: 0 });
  });
});

const isRoot = requirement('Root', process.geteuid?.() === 0, 'to become an ordinary user after a mount');

/** Debian's package keeps /etc/receiptd from everybody but root and its own group. */
test.skipIf(!isRoot || !canMount() || !ordinaryUserCanRun)(
  'an ordinary user sets up an agent of their own on a machine whose own configuration they may not see',
  async () => {
    const site = await prepare();
    const home = site.file('home');
    await makeOwned(home);
    await chmod(site.dir, 0o755);
    const { uid, gid } = ordinaryOwner();
    const asUser = (...args: string[]) => {
      const prepared =
        'mount -t tmpfs none /etc && mkdir -m 750 /etc/receiptd && : > /etc/receiptd/receiptd.yaml && cd "$HOME"';
      const user = `exec setpriv --reuid ${uid} --regid ${gid} --clear-groups "$@"`;
      const words = [process.execPath, MAIN, ...args];
      return spawnSync('unshare', ['-m', 'sh', '-c', `${prepared} && ${user}`, 'sh', ...words], {
        env: { PATH: process.env['PATH'] ?? '', HOME: home },
        encoding: 'utf8',
      });
    };
    for (const command of ['status', 'check']) {
      const { status, stderr } = asUser(command);
      expect([status, stderr]).toEqual([2, expect.stringContaining('may not enter /etc/receiptd')]);
      expect(stderr).toContain('[CONFIG_NOT_FOUND]');
    }
    const practice = [
      'setup',
      '--yes',
      '--sandbox',
      '--sandbox-port',
      '0',
      '--folder',
      join(home, 'scans'),
      '--create-folder',
    ];
    expect(asUser(...practice)).toMatchObject({ status: 0 });
    expect(await readFile(join(home, '.config/receiptd/receiptd.yaml'), 'utf8')).toContain('127.0.0.1');
    expect(asUser('status')).toMatchObject({ status: 0 });
  },
);

describe('sleep', () => {
  test('the agent continues after the machine slept in the middle of an upload', async () => {
    const site = await prepare();
    const { sandbox } = site;
    const scan = async (name: string): Promise<void> => {
      await writeFile(site.file(name), await drawReceipt({ type: 'jpeg', seed: name }));
      await rename(site.file(name), site.file('inbox', name));
    };
    const agent = await site.start();
    await scan('before.jpg');
    await until(() => sandbox.stats().stored === 1, 'the first scan to be sent');

    // The machine sleeps during an upload; when it wakes, the service is down and a new scan has arrived.
    sandbox.misbehave({ kind: 'delay', route: 'upload', delayMs: 2_000, times: 1 });
    await scan('under-way.jpg');
    await until(() => sandbox.faults().some(({ fired }) => fired === 1), 'the upload to begin');
    agent.signal('SIGSTOP');
    await scan('asleep.jpg');
    sandbox.misbehave({ kind: 'status', route: 'upload', status: 503, times: 1 });
    agent.signal('SIGCONT');
    await until(
      async () => (await site.list('--state', 'accepted')).some(({ name }) => name?.startsWith('asleep')),
      'what came meanwhile to be accepted',
    );
    agent.signal('SIGSTOP');
    agent.signal('SIGCONT');
    await scan('after.jpg');
    await until(() => sandbox.stats().stored === 4, 'the last scan to be sent');
    expect((await agent.stop()).status).toBe(0);
    expect((await site.quickOnce()).status).toBe(0);
    expect((await storedOnce(site)).size).toBe(4);
    expect((await site.look('ledger', 'verify')).status).toBe(0);
  });
});
