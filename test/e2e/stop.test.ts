import { rename, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { drawReceipt } from '../support/images.ts';
import { type Ended, prepare, type Site, storedOnce, until } from './support/agent.ts';

async function drop(site: Site, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    await writeFile(site.file('inbox', `${n}.jpg`), await drawReceipt({ type: 'jpeg', seed: `stop ${n}` }));
  }
}

test('a stop finishes uploads in flight and leaves the rest queued', async () => {
  const site = await prepare({ delivery: { concurrency: 3 } });
  const { sandbox } = site;
  await drop(site, 8);
  sandbox.misbehave({ kind: 'delay', delayMs: 2_000 });
  const agent = await site.start();
  await until(() => sandbox.stats().uploadsInFlight === 3);
  await until(async () => (await site.list()).length === 8);
  // Files that arrive after the signal are left to the next start.
  agent.signal('SIGTERM');
  await agent.logged('Stopping');
  await writeFile(site.file('inbox', 'late.jpg'), await drawReceipt({ type: 'jpeg', seed: 'late' }));
  expect(await agent.ended).toMatchObject({ status: 0, signal: null });

  const rows = await site.list();
  const inFlight = rows.filter(({ state }) => state === 'accepted');
  expect(inFlight.length).toBe(sandbox.stats().stored);
  expect(inFlight.length).toBeGreaterThanOrEqual(3);
  expect(inFlight.length).toBeLessThan(8);
  expect(rows.filter(({ state }) => state === 'queued')).toHaveLength(8 - inFlight.length);
  expect(rows.some(({ answerLost }) => answerLost)).toBe(false);

  sandbox.behave();
  expect(await site.quickOnce()).toMatchObject({ status: 0 });
  expect((await storedOnce(site)).size).toBe(9);
  expect(sandbox.stats().repeats).toBe(0);
});

test.each(['a second signal', 'the end of the grace'])('%s ends what is in flight', async (which) => {
  const bySignal = which === 'a second signal';
  const site = await prepare({ delivery: { concurrency: 2, grace: bySignal ? '1h' : '300ms' } });
  const { sandbox } = site;
  await drop(site, 3);
  sandbox.misbehave({ kind: 'stall', at: 'beforeAnswer', store: true });
  const agent = await site.start();
  await until(() => sandbox.stats().stored === 2);
  agent.signal('SIGINT');
  await agent.logged('Stopping');
  if (bySignal) agent.signal('SIGINT');
  expect(await agent.ended).toMatchObject(
    bySignal ? { status: null, signal: 'SIGINT' } : { status: 0, signal: null },
  );

  sandbox.behave();
  expect(await site.quickOnce()).toMatchObject({ status: 0 });
  expect((await storedOnce(site)).size).toBe(3);
  const lost = (await site.list()).filter(({ answerLost }) => answerLost);
  expect(lost.map(({ attempts }) => attempts)).toEqual([2, 2]);
});

test('a kill leaves nothing behind that blocks the next start, and two never run at once', async () => {
  const site = await prepare();
  const first = await site.start();
  expect(await site.look('run')).toMatchObject({ status: 6 });
  await first.kill();
  const second = await site.quickStart();
  await drop(site, 1);
  await until(() => site.sandbox.stats().stored === 1);
  expect(await site.quickMust('status')).toContain(`process ${process.pid}`);
  expect(await second.stop()).toMatchObject({ status: 0 });
});

/** Each way out while the thread that writes the ledger is in a call of SQLite's binding, which answers to its end with a core dump. */
describe('the end of a process whose thread is busy', () => {
  const BUSY = fileURLToPath(new URL('support/busyLedgerThread.mjs', import.meta.url));
  const TIMES = Number(process.env['RECEIPTD_EXITS'] ?? 1);

  async function meeting(site: Site, code: string): Promise<Ended> {
    const agent = await site.start();
    await writeFile(site.file('met'), code);
    await rename(site.file('met'), site.file('meets'));
    return agent.ended;
  }

  const WAYS: Record<string, { status: number | null; end: (site: Site) => Promise<Ended> }> = {
    'a defect': { status: 1, end: (site) => meeting(site, 'EDEFECT') },
    'a reader that has seen enough': { status: 0, end: (site) => meeting(site, 'EPIPE') },
    'a second signal': {
      status: null,
      async end(site) {
        site.sandbox.misbehave({ kind: 'stall', at: 'beforeAnswer', store: true });
        const agent = await site.start();
        await until(() => site.sandbox.stats().stored > 0);
        agent.signal('SIGTERM');
        await agent.logged('Stopping');
        agent.signal('SIGTERM');
        return agent.ended;
      },
    },
    'the end of a single run': { status: 0, end: (site) => site.once() },
    'a configuration that is refused': {
      status: 2,
      async end(site) {
        await writeFile(site.config, 'folders: 1\n');
        return site.run('run');
      },
    },
  };

  test.each(Object.entries(WAYS))('%s', async (_, { status, end }) => {
    for (let n = 0; n < TIMES; n += 1) {
      const site = await prepare();
      site.env = { ...site.env, NODE_OPTIONS: `--import=${BUSY}`, E2E_MEETS: site.file('meets') };
      for (let each = 0; each < 3; each += 1)
        await writeFile(
          site.file('inbox', `${each}.jpg`),
          await drawReceipt({ type: 'jpeg', seed: `${each}` }),
        );
      const ended = await end(site);
      expect(ended.stderr).not.toContain('Napi::Error');
      expect([ended.status, ended.signal]).toEqual(status === null ? [null, 'SIGTERM'] : [status, null]);
    }
  });
});
