import { mkdir, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { spawn, spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { drawReceipt } from '../support/images.ts';
import {
  type ConfigKeys,
  MAIN,
  OFFICE,
  practiceService,
  Running,
  Site,
  temporaryDirectory,
  until,
} from './support/agent.ts';
import { hasNamespaces, UNSHARE } from '../support/namespace.ts';
import { requirement } from '../support/requires.ts';

const GONE = 'No other agent is watching the folder';

async function untilFilesAreNewer(file: string): Promise<void> {
  const now = Date.now();
  await until(async () => {
    await writeFile(file, '');
    return (await stat(file)).ctimeMs > now;
  }, 'the clock of files to tick');
}

/** An agent of the machine and one of a user, which share one folder; the user's agent has another folder. */
async function twoAgents(intake: NonNullable<ConfigKeys['intake']> = {}) {
  const dir = await temporaryDirectory();
  const sandbox = await practiceService({ dir: join(dir, 'sandbox') });
  const settle = { short: '200ms' };
  const both = { path: join(dir, 'inbox'), endpoint: 'office', settle };
  const own = { path: join(dir, 'own'), endpoint: 'office', settle };
  const site = async (name: string, folders: NonNullable<ConfigKeys['folders']>) => {
    const made = new Site(join(dir, name), sandbox);
    await mkdir(made.dir);
    await made.configure({ folders, intake });
    return made;
  };
  const [machine, user] = [await site('machine', [both]), await site('user', [both, own])];
  const drop = async (folder: { path: string }, name: string) =>
    writeFile(join(folder.path, name), await drawReceipt({ type: 'jpeg', seed: name }));
  const sent = () => sandbox.received().length;
  /** The user's agent's files, as `name: state`. */
  const ofUser = async () =>
    Object.fromEntries((await user.list()).map(({ path, state }) => [basename(path), state]));
  return { machine, user, both, own, intake, drop, sent, ofUser };
}

describe.runIf(process.platform === 'linux')(
  'two agents with separate state directories on one folder',
  () => {
    test('send each receipt once: the second one leaves the folder alone, even while the first one restarts', async () => {
      const { machine, user, both, own, drop, sent, ofUser } = await twoAgents();
      expect((await user.look('check', '--offline')).stdout).not.toContain('FOLDER_TAKEN');
      const first = await machine.start();
      await first.logged('Watching');
      let second = await user.quickStart();
      await second.logged('FOLDER_TAKEN');
      await drop(both, 'both.jpg');
      await drop(own, 'own.jpg');
      await until(() => sent() === 2, 'both receipts to be sent');

      const who = `(process ${first.pid} of `;
      const status = await user.look('status');
      expect(status.stdout).toContain('Another agent on this machine watches');
      expect(status.stdout).toContain(who);
      expect(status.stdout).toContain('once the other one has been gone for 10 minutes');
      const check = await user.look('check', '--offline');
      expect(check).toMatchObject({ status: 1 });
      expect(check.stdout).toContain(who);
      expect(check.stdout).toContain(`state directory ${machine.stateDir})`);
      expect(check.stdout).toContain('[FOLDER_TAKEN]');
      expect((await machine.look('check', '--offline')).stdout).not.toContain('FOLDER_TAKEN');

      await first.kill();
      await drop(both, 'meanwhile.jpg');
      await second.logged(GONE);
      expect((await user.look('status')).stdout).toContain('unless the other one is back by then');
      // The second agent does not take the folder over just because it restarts.
      expect(await second.stop()).toMatchObject({ status: 0 });
      second = await user.quickStart();
      await second.logged(GONE);
      const again = await machine.quickStart();
      await until(() => sent() === 3, 'the first agent to go on');
      await second.logged('The other agent that watches the folder is back');
      await drop(both, 'later.jpg');
      await until(() => sent() === 4, 'the first agent to send what comes');
      expect(await ofUser()).toEqual({ 'own.jpg': 'accepted' });
      expect(await again.stop()).toMatchObject({ status: 0 });
      expect(await second.stop()).toMatchObject({ status: 0 });
    });

    test('take over from each other: existing files are skipped and reported, new files are sent', async () => {
      const intake = { takeOverAfter: '3s' };
      const { machine, user, both, own, drop, sent, ofUser } = await twoAgents(intake);
      const first = await machine.start();
      await first.logged('Watching');
      const second = await user.quickStart();
      await second.logged('FOLDER_TAKEN');
      await drop(both, 'before.jpg');
      await until(() => sent() === 1, 'the first agent to send');
      await first.kill();
      await second.logged(GONE);
      // The clock of files lags behind by some milliseconds, and what is not certainly newer is left alone.
      await untilFilesAreNewer(join(machine.dir, 'tick'));
      await drop(both, 'later.jpg');
      await second.logged('Took the folder over from another agent');
      await until(() => sent() === 2, 'the second agent to send');
      await until(async () => (await ofUser())['later.jpg'] === 'accepted', 'its acceptance');
      expect(await ofUser()).toEqual({ 'before.jpg': 'skipped', 'later.jpg': 'accepted' });
      expect(await user.list('--state', 'skipped')).toMatchObject([{ reason: 'TAKEN_OVER' }]);
      const status = (await user.look('status')).stdout;
      expect(status).not.toContain('[FOLDER_TAKEN]');
      expect(status).toMatch(/ 1 file .*\[FOLDER_TAKEN_OVER\]/);

      // The first agent now finds the folder taken. Skipped files stay skipped until a person decides otherwise.
      const back = await machine.start();
      await back.logged('FOLDER_TAKEN');
      expect(await second.stop()).toMatchObject({ status: 0 });
      await back.kill();
      expect(await user.quickMust('run', '--dry-run')).toMatch(/\b1 to skip\b/);
      await user.configure({ folders: [{ ...both, existing: 'since 2000-01-01' }, own], intake });
      const third = await user.quickStart();
      await until(
        async () => (await ofUser())['before.jpg'] !== 'skipped',
        'what was left to be judged again',
      );
      expect((await user.look('status')).stdout).not.toContain('FOLDER_TAKEN_OVER');
      expect(await third.stop()).toMatchObject({ status: 0 });
    });
  },
);

/** Two agents on two machines with a common share. Namespaces give each its own host name, network and processes. */
describe('two machines', () => {
  const MACHINE = [
    'hostname "$0"',
    'ip link set lo up',
    '"$NODE" "$MAIN" sandbox --port "$PORT" --dir "$DIR" --endpoint-uid "$OFFICE" --client-id "$RECEIPTD_CLIENT_ID" --fault delay=2000 &',
    'exec "$NODE" "$MAIN" run --config "$CONFIG"',
  ].join('\n');

  function start(site: Site, name: string): Running {
    const { PATH = '', HOME = '' } = process.env;
    const env = {
      PATH,
      HOME,
      ...site.env,
      NODE: process.execPath,
      MAIN,
      OFFICE,
      CONFIG: site.config,
      DIR: site.file('sandbox'),
      PORT: new URL(site.sandbox.url).port,
    };
    const args = [...UNSHARE, '--uts', '--net', 'sh', '-ec', MACHINE, name];
    return new Running(spawn('unshare', args, { cwd: site.dir, env, stdio: ['ignore', 'pipe', 'pipe'] }));
  }

  const hasIp =
    hasNamespaces && requirement('ip', spawnSync('ip', ['-V']).status === 0, 'Debian package iproute2');

  describe.skipIf(!hasIp)('two agents on two machines, with one share', () => {
    test('that both archive on: one of them notices and reports it, and both continue', async () => {
      const dir = await temporaryDirectory();
      const sandbox = await practiceService({ dir: join(dir, 'here') });
      const share = join(dir, 'share');
      const folder = {
        path: share,
        endpoint: 'office',
        settle: { short: '200ms' },
        watch: 'poll',
        afterUpload: 'archive',
      };
      const sites = await Promise.all(
        ['front-desk', 'back-office'].map(async (name) => {
          const site = new Site(join(dir, name), sandbox);
          await mkdir(site.dir);
          await site.configure({ folders: [folder], intake: { pollEvery: '1s' } });
          return { name, site };
        }),
      );
      const agents = sites.map(({ name, site }) => start(site, name));
      for (const agent of agents) await agent.logged('Watching');

      let dropped = 0;
      await until(async () => {
        dropped += 1;
        const bytes = await drawReceipt({ type: 'jpeg', seed: `receipt ${dropped}` });
        await writeFile(join(share, `SCAN${dropped}.jpg`), bytes);
        const taken = async ({ site }: (typeof sites)[number]) =>
          (await site.list()).some(({ path }) => path.endsWith(`SCAN${dropped}.jpg`));
        await until(async () => (await Promise.all(sites.map(taken))).some(Boolean), 'one of them to see it');
        return agents.some(({ stderr }) => stderr.includes('FOLDER_TAKEN_ELSEWHERE'));
      }, 'one of them to find out');

      const said = await Promise.all(sites.map(({ site }) => site.look('status')));
      expect(said.map(({ stdout }) => stdout).join()).toContain('[FOLDER_TAKEN_ELSEWHERE]');
      await writeFile(join(share, 'later.jpg'), await drawReceipt({ type: 'jpeg', seed: 'later' }));
      await until(async () => {
        const rows = (await Promise.all(sites.map(({ site }) => site.list()))).flat();
        return rows.some(({ path, state }) => path.endsWith('later.jpg') && state === 'accepted');
      }, 'what comes then to be sent');
    });
  });
});
