/** What happens to a running agent from outside: cleaners, signals, a lack of descriptors, files that are renewed or written by other programs. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { drawReceipt } from '../support/images.ts';
import { makeOwned, ordinaryOwner } from '../support/ordinaryUser.ts';
import { canMount } from '../support/ownMount.ts';
import { requirement } from '../support/requires.ts';
import { MAIN, prepare, storedOnce, until } from './support/agent.ts';
import { ordinaryUserCanRun } from './support/commandLine.ts';

const hasPrlimit = requirement(
  'prlimit',
  spawnSync('prlimit', ['--version']).status === 0,
  'Debian: util-linux',
);

test.skipIf(!hasPrlimit)(
  'a running agent opens no debugger, continues after the machine slept in the middle of an upload, makes its control socket and its log again, and goes on without descriptors',
  async () => {
    const site = await prepare();
    const { sandbox } = site;
    let drawn = 0;
    const scan = async (): Promise<string> => {
      const name = `${(drawn += 1)}.jpg`;
      await writeFile(site.file(name), await drawReceipt({ type: 'jpeg', seed: name }));
      await rename(site.file(name), site.file('inbox', name));
      return name;
    };
    const scanIsSent = async (): Promise<void> => {
      const before = sandbox.received().length;
      const name = await scan();
      await until(() => sandbox.received().length > before, `${name} to be sent`);
    };

    // At a signal, or because of the environment.
    site.env = { ...site.env, NODE_OPTIONS: '--inspect=127.0.0.1:0' };
    const agent = await site.start();
    const [, port = ''] = /ws:\/\/127\.0\.0\.1:(\d+)/.exec(agent.stderr) ?? [];
    for (const signal of ['SIGUSR1', 'SIGUSR2'] as const) agent.signal(signal);
    await scanIsSent();
    expect(agent.stderr.match(/Debugger listening/g) ?? []).toHaveLength(port === '' ? 0 : 1);
    const asked = fetch(`http://127.0.0.1:${port || 1}/json`).then(
      () => 'answered',
      () => 'refused',
    );
    expect(await asked).toBe('refused');

    // The machine sleeps during an upload; when it wakes, the service is down and a new scan has arrived.
    sandbox.misbehave({ kind: 'delay', delayMs: 3_600_000 });
    await scan();
    await until(() => sandbox.stats().uploadsInFlight === 1, 'the upload to begin');
    agent.signal('SIGSTOP');
    const asleep = site.file('inbox', await scan());
    sandbox.behave();
    sandbox.misbehave({ kind: 'status', route: 'upload', status: 503, times: 1 });
    agent.signal('SIGCONT');
    const accepted = () => site.list('--state', 'accepted');
    await until(
      async () => (await accepted()).some(({ path }) => path === asleep),
      'what came meanwhile to be accepted',
    );

    // While it does not answer, or its socket is gone, it is never called "Not running".
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

    const logs = join(site.stateDir, 'logs');
    const log = join(logs, 'receiptd.log');
    const begun = (): number => agent.stderr.split('a new one was begun').length - 1;
    for (const [at, spoil] of [
      () => rm(logs, { recursive: true }),
      () => rename(log, `${log}-20260101`),
      async () => {
        await rename(log, `${log}.1`);
        await writeFile(log, '');
      },
    ].entries()) {
      await spoil();
      // The file is looked for once a second.
      await until(async () => {
        if (begun() <= at) await scanIsSent();
        return begun() > at;
      });
      await until(async () => (await readFile(log, 'utf8')).includes('a new one was begun'));
    }
    await rm(logs, { recursive: true });
    await writeFile(logs, 'in the way');
    await until(async () => {
      await scanIsSent();
      return (await site.look('status')).stdout.includes('[LOG_UNWRITABLE]');
    });

    const limit = (value: string) =>
      execFileSync('prlimit', ['--pid', String(agent.pid), `--nofile=${value}:`]);
    limit('1');
    await agent.logged('The agent goes on without freeing memory when idle');
    limit('1024');
    await scanIsSent();

    // As a copied state directory has it.
    await rename(socket, `${socket}.old`);
    expect((await site.look('status')).stdout).not.toContain('Not running');
    expect(await agent.stop()).toMatchObject({ status: 0 });
    expect(existsSync(socket)).toBe(false);
    const { stdout, stderr } = await site.look('status');
    expect(stdout + stderr).toContain('Not running');
    expect((await storedOnce(site)).size).toBe(drawn);
    expect((await site.look('ledger', 'verify')).status).toBe(0);
  },
);

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
    const { status, stderr } = asUser('check');
    expect([status, stderr]).toEqual([2, expect.stringContaining('may not enter /etc/receiptd')]);
    expect(stderr).toContain('[CONFIG_NOT_FOUND]');
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
