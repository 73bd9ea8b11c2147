/** A built agent whose shared ledger can't be reached. */
import { writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { drawReceipt } from '../../support/images.ts';
import { prepare, until } from '../support/agent.ts';
import { freePort } from '../../support/ports.ts';

test('images are deferred while the ledger is unreachable, even across a configuration change and a restart', async () => {
  const url = `postgres://receiptd@127.0.0.1:${await freePort()}/ledger`;
  const ledger = { kind: 'postgres', url, agent: 'front' };
  const site = await prepare({ ledger });
  const drop = async (name: string): Promise<void> =>
    writeFile(site.file('inbox', `${name}.jpg`), await drawReceipt({ type: 'jpeg', seed: name }));
  const defers = (count: number) =>
    until(async () => (await site.look('status')).stdout.includes(`\n${count} image`), `${count} deferred`);
  const agent = await site.quickStart();
  await drop('a');
  await defers(1);
  await site.configure({ ledger, delivery: { concurrency: 2 } });
  const { status, stderr } = await site.look('reload');
  expect([status, stderr]).toEqual([1, expect.stringMatching(/reached: .*\[LEDGER_UNREACHABLE\]$/m)]);
  expect((await site.look('status')).stdout).toContain(
    'receiptd.yaml cannot take effect yet, so the previous configuration stays in effect: The ledger at 127.0.0.1',
  );
  await drop('b');
  await defers(2);
  expect(await agent.stop()).toMatchObject({ status: 0 });
  const again = await site.quickStart();
  await drop('c');
  await defers(3);
  expect(await again.stop()).toMatchObject({ status: 0 });
});
