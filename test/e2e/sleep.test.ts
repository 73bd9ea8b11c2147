import { rename, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { drawReceipt } from '../support/images.ts';
import { prepare, storedOnce, until } from './support/agent.ts';

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
