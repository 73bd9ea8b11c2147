/** If the thread that writes the ledger ends by itself (out of memory, a defect), the process ends too, and the next one continues. */
import { mkdir, open, rename, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { insertJpegSegment } from '../support/handmadeImages.ts';
import { drawReceipt } from '../support/images.ts';
import { prepare, storedOnce, until, type Site } from './support/agent.ts';

const SAID = /^error: The ledger .* can't be written: its thread has ended\. .* \[LEDGER_WRITE_FAILED\]$/m;
const PAGE = 4_096;
const END = fileURLToPath(new URL('support/endLedgerThread.mjs', import.meta.url));

async function siteWhoseThreadMayEnd() {
  const site = await prepare();
  const { env } = site;
  const switched = site.file('end');
  site.env = { ...env, NODE_OPTIONS: `--import=${END}`, E2E_END: switched };
  return {
    site,
    end: () => writeFile(switched, ''),
    heal: async () => {
      site.env = env;
      await rm(switched);
    },
  };
}

async function scan(site: Site, name: string): Promise<void> {
  await writeFile(site.file(name), await drawReceipt({ type: 'jpeg', seed: name }));
  await mkdir(site.file('inbox'), { recursive: true });
  await rename(site.file(name), site.file('inbox', name));
}

async function allIsSentOnce(site: Site, names: readonly string[]): Promise<void> {
  expect((await storedOnce(site)).size).toBe(names.length);
  expect((await site.list('--state', 'accepted')).length).toBe(names.length);
  expect((await site.look('ledger', 'verify')).status).toBe(0);
}

test('the agent ends with the thread that writes its ledger, waits for no upload that can’t be recorded, and loses nothing when it is restarted', async () => {
  const { site, end, heal } = await siteWhoseThreadMayEnd();
  await site.configure({ delivery: { grace: '10m' } });
  const agent = await site.start();
  await scan(site, 'before.jpg');
  await until(async () => (await site.list('--state', 'accepted')).length === 1);
  site.sandbox.misbehave({ kind: 'delay', route: 'upload', delayMs: 1_000, times: 1 });
  await scan(site, 'during.jpg');
  await until(() => site.sandbox.stats().uploadsInFlight === 1);
  await end();
  const { status, signal, stderr } = await agent.ended;
  expect([status, signal]).toEqual([1, null]);
  expect(stderr).toMatch(SAID);
  expect(stderr).not.toContain('    at ');
  await heal();
  const again = await site.quickStart();
  await until(async () => (await site.list('--state', 'accepted')).length === 2);
  expect((await again.stop()).status).toBe(0);
  await allIsSentOnce(site, ['before.jpg', 'during.jpg']);
});

test('damage found during a run ends the agent, and the next start repairs it', async () => {
  const site = await prepare();
  const slip = await drawReceipt({ type: 'jpeg', seed: 'slip', width: 32, height: 48 });
  for (let n = 0; n < 120; n += 1) {
    const numbered = insertJpegSegment(slip, 0xfe, Buffer.from(`number ${n}`));
    await writeFile(site.file('inbox', `${n}.jpg`), numbered);
  }
  expect((await site.quickOnce()).status).toBe(0);
  const agent = await site.start();
  const ledger = site.file('state', 'ledger.db');
  const { size } = await stat(ledger);
  const file = await open(ledger, 'r+');
  await file.write(Buffer.alloc(size - PAGE, 'x'), 0, size - PAGE, PAGE);
  await file.close();
  await scan(site, 'more.jpg');
  const { status, stderr } = await agent.ended;
  expect(status).toBe(1);
  expect(stderr).toMatch(/^error: The ledger .* is damaged: .* \[LEDGER_DAMAGED\]$/m);
  const again = await site.quickStart();
  await until(async () => (await site.list('--state', 'accepted')).length === 121);
  expect((await again.stop()).status).toBe(0);
  expect(site.sandbox.stats().stored).toBe(121);
});

test('a journal that another program empties during a run ends the agent, and the next start goes on after it', async () => {
  const site = await prepare();
  await scan(site, 'first.jpg');
  const agent = await site.start();
  await until(async () => (await site.list('--state', 'accepted')).length === 1);
  await truncate(site.file('state', 'ledger.journal'));
  // Its journal can't be restored, so it is not written.
  expect(await site.look('backup', site.file('a.receiptd'))).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('[JOURNAL_DAMAGED]'),
  });
  await scan(site, 'second.jpg');
  const { status, stderr } = await agent.ended;
  expect(status).toBe(1);
  expect(stderr).toMatch(
    /^error: The ledger .* is damaged: another program shortened this file.* \[LEDGER_DAMAGED\]$/m,
  );
  const again = await site.quickStart();
  await until(async () => (await site.list('--state', 'accepted')).length === 2);
  await site.quickMust('backup', site.file('b.receiptd'));
  expect((await again.stop()).status).toBe(0);
  expect(site.sandbox.stats()).toMatchObject({ stored: 2, repeats: 0 });
});
