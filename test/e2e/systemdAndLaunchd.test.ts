import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Launchd } from '../../src/features/os-service/launchd/manager.ts';
import { Systemd } from '../../src/features/os-service/systemd/manager.ts';
import { place } from './support/servicePlace.ts';

test('a service that does not start is reported with the unmet condition or its last error', async () => {
  const at = await place();
  const manager = new Systemd(at.host, 'system', 'nobody');
  await writeFile(join(at.dir, 'record.waits'), '');
  await expect(manager.start()).rejects.toMatchObject({
    code: 'MANAGER_FAILED',
    message:
      'receiptd.service did not start: the condition ConditionPathExists=/etc/receiptd/receiptd.yaml in its unit is not met.',
  });
  expect(await manager.status()).toMatchObject({ isRunning: false, says: null });
  await rm(join(at.dir, 'record.waits'));
  const log = 'Starting.\nerror: a.yaml:1:1: one\na.yaml:2:1: two [CONFIG_INVALID]\nFailed.\n';
  await writeFile(join(at.dir, 'record.fails'), log);
  await expect(manager.restart()).rejects.toMatchObject({
    code: 'MANAGER_FAILED',
    message: 'receiptd.service did not start: a.yaml:1:1: one; a.yaml:2:1: two [CONFIG_INVALID]',
  });
});

test('a user who may not stop a service of the machine is told to use root', async () => {
  const at = await place();
  await writeFile(join(at.dir, 'record.denies'), '');
  const manager = new Systemd({ ...at.host, uid: 1_000 }, 'system', 'nobody');
  await expect(manager.stop()).rejects.toMatchObject({ code: 'ROOT_NEEDED', hint: 'Use sudo.' });
});

test('the service commands load, reload, stop and remove a launchd job', async () => {
  const at = await place();
  const manager = new Launchd({ ...at.host, platform: 'darwin' }, 'system', '_receiptd', at.dir);
  await manager.install('text');
  await manager.restart();
  await manager.restart();
  expect(await manager.status()).toMatchObject({ isInstalled: true, isRunning: true, pid: 42 });
  await manager.stop();
  expect(await manager.status()).toMatchObject({ isInstalled: true, isRunning: false });
  await manager.uninstall();
  expect(await manager.status()).toMatchObject({ isInstalled: false });
  expect((await at.asked()).filter((line) => !line.includes(' print '))).toEqual([
    'launchctl enable system/receiptd',
    `launchctl bootstrap system ${join(at.dir, 'units/receiptd.plist')}`,
    'launchctl bootout system/receiptd',
    `launchctl bootstrap system ${join(at.dir, 'units/receiptd.plist')}`,
    'launchctl bootout system/receiptd',
  ]);
});
