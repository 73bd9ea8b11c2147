import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { drawReceipt } from '../support/images.ts';
import { practiceService, Site, temporaryDirectory, until } from './support/agent.ts';

const SETTLE = { settle: { short: '200ms' } };

describe.runIf(process.platform === 'linux')(
  'two agents with state directories of their own on one folder',
  () => {
    test('send each receipt once: the second one leaves the folder alone, and takes over when the first one is killed', async () => {
      const dir = await temporaryDirectory();
      const sandbox = await practiceService({ dir: join(dir, 'sandbox') });
      const [machine, user] = ['machine', 'user'].map((name) => new Site(join(dir, name), sandbox));
      if (!machine || !user) throw new Error('two sites were made');
      const both = { path: join(dir, 'inbox'), endpoint: 'office', ...SETTLE };
      const own = { path: join(dir, 'own'), endpoint: 'office', ...SETTLE };
      for (const [site, folders] of [
        [machine, [both]],
        [user, [both, own]],
      ] as const) {
        await mkdir(site.dir);
        await site.configure({ folders });
      }
      const drop = async (folder: { path: string }, name: string) =>
        writeFile(join(folder.path, name), await drawReceipt({ type: 'jpeg', seed: name }));
      const sent = () => sandbox.received().length;

      expect((await user.run('check', '--offline')).stdout).not.toContain('FOLDER_TAKEN');
      const first = await machine.start();
      await first.logged('Watching');
      const second = await user.start();
      await second.logged('FOLDER_TAKEN');
      await drop(both, 'both.jpg');
      await drop(own, 'own.jpg');
      await until(() => sent() === 2, 'both receipts to be sent');

      const who = `(process ${first.pid} of `;
      const status = await user.run('status');
      expect(status.stdout).toContain('Another agent on this machine takes in');
      expect(status.stdout).toContain(who);
      const check = await user.run('check', '--offline');
      expect(check).toMatchObject({ status: 1 });
      expect(check.stdout).toContain(who);
      expect(check.stdout).toContain(`state directory ${machine.stateDir})`);
      expect(check.stdout).toContain('[FOLDER_TAKEN]');
      expect((await machine.run('check', '--offline')).stdout).not.toContain('FOLDER_TAKEN');
      expect((await user.list()).map(({ path }) => path)).toEqual([join(own.path, 'own.jpg')]);

      await first.kill();
      await drop(both, 'later.jpg');
      const isAccepted = async () => {
        const known = await user.list('--state', 'accepted');
        return known.some(({ path }) => path === join(both.path, 'later.jpg'));
      };
      await until(isAccepted, 'the second agent to take over');
      expect((await user.run('status')).stdout).not.toContain('Another agent');
      expect(await second.stop()).toMatchObject({ status: 0 });
    });
  },
);
