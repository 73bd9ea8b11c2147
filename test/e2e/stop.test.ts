import { rename, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { drawReceipt } from '../support/images.ts';
import { type Ended, prepare, type Site, storedOnce, until } from './support/agent.ts';
import { shell } from './support/commandLine.ts';
import { Resident } from './support/inProcess.ts';

async function drop(site: Site, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    await writeFile(site.file('inbox', `${n}.jpg`), await drawReceipt({ type: 'jpeg', seed: `stop ${n}` }));
  }
}

test('a stop finishes uploads in flight and leaves the rest queued', async () => {
  const site = await prepare({ delivery: { concurrency: 3 } });
  const { sandbox } = site;
  await drop(site, 8);
  sandbox.misbehave({ kind: 'delay', delayMs: 3_600_000 });
  const agent = await site.start();
  await until(() => sandbox.stats().uploadsInFlight === 3);
  await until(async () => (await site.list()).length === 8);
  // Files that arrive after the signal are left to the next start.
  agent.signal('SIGTERM');
  await agent.logged('Stopping');
  await writeFile(site.file('inbox', 'late.jpg'), await drawReceipt({ type: 'jpeg', seed: 'late' }));
  sandbox.behave();
  expect(await agent.ended).toMatchObject({ status: 0, signal: null });

  const rows = await site.list();
  expect(rows.map(({ state }) => state).toSorted()).toEqual([
    ...Array<string>(3).fill('accepted'),
    ...Array<string>(5).fill('queued'),
  ]);
  expect(rows.some(({ answerLost }) => answerLost)).toBe(false);
  expect(sandbox.stats().stored).toBe(3);

  expect(await site.quickOnce()).toMatchObject({ status: 0 });
  expect((await storedOnce(site)).size).toBe(9);
  expect(sandbox.stats().repeats).toBe(0);
});

/** After a stop in the middle of uploads that the service has stored. */
async function areSentAgain(site: Site, inFlight: number, count: number): Promise<void> {
  site.sandbox.behave();
  expect(await site.quickOnce()).toMatchObject({ status: 0 });
  expect((await storedOnce(site)).size).toBe(count);
  const lost = (await site.list()).filter(({ answerLost }) => answerLost);
  expect(lost.map(({ attempts }) => attempts)).toEqual(Array(inFlight).fill(2));
}

test('the end of the grace ends what is in flight', async () => {
  const site = await prepare({ delivery: { concurrency: 2, grace: '300ms' } });
  await drop(site, 3);
  site.sandbox.misbehave({ kind: 'stall', at: 'beforeAnswer', store: true });
  const agent = await site.start();
  await until(() => site.sandbox.stats().stored === 2);
  expect(await agent.stop()).toMatchObject({ status: 0, signal: null });
  await areSentAgain(site, 2, 3);
});

test('a reader of the output that stands still delays neither uploads nor the end', async () => {
  const site = await prepare();
  await drop(site, 3);
  // As much as the pipe holds, so that the agent's first line already waits.
  const script = `mkfifo still; exec 9<>still; head -c 65536 /dev/zero >&9
    $RECEIPTD run --config '${site.config}' >&9 2>&9 9>&- & agent=$!
    until [ -e sent ]; do sleep 0.1; done; kill -TERM $agent; wait $agent; echo "status=$?"`;
  const ended = shell(site, script);
  await until(() => site.sandbox.stats().stored === 3);
  await writeFile(site.file('sent'), '');
  expect((await ended).stdout).toBe('status=0\n');
});

test.each(['audit', 'ledger verify'])('a stop ends `%s` without a verdict', async (words) => {
  const site = await prepare();
  await drop(site, 1);
  await site.quickOnce();
  const [command, ...args] = words.split(' ');
  const check = new Resident([...args, '--config', site.config], { cwd: site.dir, env: site.env }, command);
  expect(await check.stop()).toEqual({ status: 130, signal: null, stdout: '', stderr: '' });
});

/** Each way out while the thread that writes the ledger is in a call of SQLite's binding, which answers to its end with a core dump. */
describe('the end of a process whose thread is busy', () => {
  const BUSY = fileURLToPath(new URL('support/busyLedgerThread.mjs', import.meta.url));

  async function meeting(site: Site, code: string): Promise<Ended> {
    const agent = await site.start();
    await writeFile(site.file('met'), code);
    await rename(site.file('met'), site.file('meets'));
    return agent.ended;
  }

  const WAYS: Record<string, { status: number | null; end: (site: Site) => Promise<Ended> }> = {
    'a defect': { status: 1, end: (site) => meeting(site, 'EDEFECT') },
    'a reader that has seen enough': { status: 0, end: (site) => meeting(site, 'EPIPE') },
    'a second signal, during uploads': {
      status: null,
      async end(site) {
        await site.configure({ delivery: { grace: '1h' } });
        site.sandbox.misbehave({ kind: 'stall', at: 'beforeAnswer', store: true });
        const agent = await site.start();
        await until(() => site.sandbox.stats().stored === 3);
        agent.signal('SIGTERM');
        await agent.logged('Stopping');
        agent.signal('SIGTERM');
        const ended = await agent.ended;
        await areSentAgain(site, 3, 3);
        return ended;
      },
    },
    'the end of a single run': { status: 0, end: (site) => site.once() },
  };

  test.each(Object.entries(WAYS))('%s', async (_, { status, end }) => {
    const site = await prepare();
    site.env = { ...site.env, NODE_OPTIONS: `--import=${BUSY}`, E2E_MEETS: site.file('meets') };
    await drop(site, 3);
    const ended = await end(site);
    expect(ended.stderr).not.toContain('Napi::Error');
    expect([ended.status, ended.signal]).toEqual(status === null ? [null, 'SIGTERM'] : [status, null]);
  });
});
