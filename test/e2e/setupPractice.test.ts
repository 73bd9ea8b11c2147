import { once } from 'node:events';
import { chmod, chown, mkdir, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { defaultConfigText } from '../../src/config/template.ts';
import { drawTestReceipt } from '../../src/demo/testReceipt.ts';
import { ordinaryOwner } from '../support/ordinaryUser.ts';
import { OFFICE, until } from './support/agent.ts';
import { cleanUp } from '../support/cleanUp.ts';
import { begin, ordinaryUserCanRun, receiptd } from './support/commandLine.ts';
import { desk } from './support/desk.ts';
import { quick, variables } from './support/unattended.ts';
import { isRoot } from '../support/root.ts';

describe('receiptd setup --yes --sandbox', () => {
  test.skipIf(!ordinaryUserCanRun)(
    'lets receipts that were sent in practice be sent to the real service',
    async () => {
      const here = await desk();
      const picture = drawTestReceipt({ number: 1, at: '2026-01-31 08:30' });
      await writeFile(join(here.scans, 'one.png'), picture);
      await here.giveAway();
      const { PATH = '', HOME = '', TMPDIR = '' } = here.env;
      here.site.env = { PATH, HOME, TMPDIR, RECEIPTD_CONFIG: here.config };
      const how = { env: here.site.env, ordinary: true };
      const practice = ['--sandbox', '--sandbox-port', '0', '--existing', 'send', '--test-receipt'];
      const first = await receiptd(here.site, ['setup', '--yes', ...practice, '--folder', here.scans], how);
      expect(first).toMatchObject({ status: 0, stderr: '' });
      const state = join(HOME, '.local', 'state', 'receiptd');
      expect(first.stdout).toContain(`Practice data is kept separate, in ${state}-practice`);
      expect((await here.settings())['stateDir']).toBe(`${state}-practice`);

      const { RECEIPTD_SETUP_FOLDER: _, ...real } = variables(here);
      const env = { ...how.env, ...real };
      const args = ['setup', '--yes', '--json'];
      const untold = await receiptd(here.site, args, { ...how, env });
      expect(untold).toBeRefused(2, 'SETUP_INCOMPLETE', '--existing', here.scans);
      const second = await receiptd(here.site, [...args, '--existing', 'send'], { ...how, env });
      expect(second).toMatchObject({ status: 0, stderr: '' });
      expect(JSON.parse(second.stdout)).toMatchObject({
        stateDir: state,
        rerouted: [{ path: here.scans, to: { baseUrl: here.sandbox.url } }],
      });
      expect(await here.settings()).not.toHaveProperty('stateDir');
      expect((await receiptd(here.site, ['run', '--once'], how)).status).toBe(0);
      expect(here.sandbox.received()).toHaveLength(1);
    },
  );

  test('keeps the practice configuration beside the real one', async () => {
    const here = await desk();
    const values = { baseUrl: 'https://real.example', uid: OFFICE, folder: here.scans };
    await writeFile(here.config, defaultConfigText(values));
    const ended = await quick(here, ['--sandbox', '--sandbox-port', '0', '--config', here.config]);
    expect(ended).toBeRefused(2, 'USAGE', 'https://real.example');
  });

  test('uses a practice service that already runs, and mistakes no other program for one', async () => {
    const here = await desk();
    const sandbox = here.site.spawn('sandbox', '--port', '0', '--dir', join(here.dir, 'practice'), '--json');
    await until(() => sandbox.stdout.includes('\n'), 'the sandbox');
    const { url } = JSON.parse(sandbox.stdout) as { url: string };
    const args = ['--sandbox', '--folder', here.scans, '--config', here.config, '--json'];
    const ended = await quick(here, [...args, '--sandbox-port', new URL(url).port]);
    expect(JSON.parse(ended.stdout)).toMatchObject({ service: { baseUrl: url, company: 'Sandbox Company' } });
    const other = await quick(here, [...args, '--sandbox-port', new URL(here.sandbox.url).port]);
    expect(other).toBeRefused(1, 'PORT_IN_USE', '--sandbox-port');
    await sandbox.stop();
  });

  const canBeTwoUsers = ordinaryUserCanRun && process.platform === 'linux' && isRoot;
  test.skipIf(!canBeTwoUsers)('does not use the practice service of another user', async () => {
    const here = await desk();
    const dir = join(here.dir, 'of another');
    await mkdir(dir);
    await chown(dir, ordinaryOwner().uid, ordinaryOwner().gid);
    await chmod(here.dir, 0o755);
    const other = begin(here.site, ['sandbox', '--port', '0', '--dir', dir, '--json'], { ordinary: true });
    await until(() => other.stdout.includes('\n'), 'the other sandbox');
    const { port } = new URL((JSON.parse(other.stdout) as { url: string }).url);
    const ended = await quick(here, ['--sandbox', '--folder', here.scans, '--sandbox-port', port]);
    expect(ended).toBeRefused(1, 'PORT_IN_USE', 'belongs to the user');
    expect(await other.stop()).toMatchObject({ status: 0 });
  });

  test('does not mistake a silent program for the practice service', async () => {
    const here = await desk();
    const mute = createServer().listen(0, '127.0.0.1');
    cleanUp(async () => {
      mute.close();
    });
    await once(mute, 'listening');
    const { port } = mute.address() as AddressInfo;
    const args = [
      '--sandbox',
      '--sandbox-port',
      String(port),
      '--folder',
      here.scans,
      '--config',
      here.config,
    ];
    const begun = performance.now();
    expect(await quick(here, args)).toBeRefused(1, 'PORT_IN_USE', '--sandbox-port');
    // A request may take a minute.
    expect(performance.now() - begun).toBeLessThan(40_000);
  });
});
