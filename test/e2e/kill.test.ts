import { writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { drawReceipt } from '../support/images.ts';
import { prepare, sha256, storedOnce, until, type Row, type Running, type Site } from './support/agent.ts';
import { dropReceipts, hasReceipts, receipts } from './support/receipts.ts';

const STATUS = z.object({ daemon: z.object({ folders: z.array(z.object({ settling: z.number() })) }) });

describe.skipIf(!hasReceipts())('kill -9', () => {
  test('at any moment loses nothing and gives no image a second name', async () => {
    // The sandbox kills the agent just after it has answered; the agent may or may not know the answer.
    let killAfter = Infinity;
    let agent: Running;
    const site = await prepare(
      { folders: [] },
      {
        onRequest: ({ route, ending }) => {
          if (route === 'upload' && ending === 200 && --killAfter === 0) agent.signal('SIGKILL');
        },
      },
    );
    const { sandbox } = site;
    const folder = { path: site.file('inbox'), endpoint: 'office' };
    await site.configure({ folders: [{ ...folder, settle: { short: '1h', long: '1h', patience: '2h' } }] });

    // While files settle: nothing is in the ledger yet.
    agent = await site.start();
    await dropReceipts(site.file('inbox'));
    await until(async () => (await settling(site)) === 39);
    expect(await site.list()).toEqual([]);
    await agent.kill();
    await site.configure({ folders: [folder] });

    // After admission, before any upload: no token arrives.
    sandbox.misbehave({ kind: 'stall', route: 'token', at: 'beforeBody' });
    agent = await site.start();
    await until(async () => (await site.list()).length === 39);
    await agent.kill();
    const names = namesOf(await site.list());
    expect(names.size).toBe(38);
    expect(sandbox.stats()).toMatchObject({ stored: 0, uploadArrivals: [] });
    sandbox.behave();

    // During uploads: the service has read them, but stores nothing.
    sandbox.misbehave({ kind: 'stall', at: 'beforeAnswer' });
    agent = await site.start();
    await until(() => sandbox.stats().uploadsInFlight === 4);
    await agent.kill();
    await until(() => sandbox.stats().uploadsInFlight === 0);
    expect(sandbox.stats().stored).toBe(0);
    sandbox.behave();

    // After they were stored, before the answers, which are lost.
    sandbox.misbehave({ kind: 'delay', delayMs: 3_600_000 });
    agent = await site.start();
    await until(() => sandbox.stats().stored === 4);
    await agent.kill();
    await until(() => sandbox.stats().uploadsInFlight === 0);
    sandbox.behave();

    // Just after an answer was sent.
    killAfter = 10;
    agent = await site.start();
    await agent.ended;
    expect(sandbox.stats().stored).toBeGreaterThanOrEqual(10);

    // Idle.
    agent = await site.start();
    await untilDone(site);
    await agent.kill();
    const requests = sandbox.stats().uploadArrivals.length;
    const last = await site.quickStart();
    const late = await drawReceipt({ type: 'jpeg', seed: 'after the kills' });
    await writeFile(site.file('inbox', 'late.jpg'), late);
    await until(() => sandbox.stats().stored === 39);
    await untilDone(site);
    expect(sandbox.stats().uploadArrivals).toHaveLength(requests + 1);
    expect(await last.stop()).toMatchObject({ status: 0 });

    const expected = new Set([...Object.values(receipts()).map((each) => each.sha256), sha256(late)]);
    expect((await storedOnce(site)).size).toBe(39);
    expect(new Set(sandbox.received().map((each) => each.sha256))).toEqual(expected);
    expect(sandbox.stats().repeatsWithOtherBytes).toBe(0);
    const rows = (await site.list()).filter(({ state }) => state === 'accepted');
    for (const [hash, name] of names) expect(namesOf(rows).get(hash)).toBe(name);
    const answerLost = new Set(rows.flatMap((row) => (row.answerLost ? [row.name] : [])));
    const repeated = sandbox.received().filter(({ tries }) => tries > 1);
    expect(repeated.length).toBeGreaterThanOrEqual(4);
    for (const { name } of repeated) expect(answerLost).toContain(name);
  });
});

async function settling(site: Site): Promise<number> {
  const { daemon } = STATUS.parse(JSON.parse((await site.look('status', '--json')).stdout));
  return daemon.folders[0]?.settling ?? 0;
}

async function untilDone(site: Site): Promise<void> {
  await until(async () => (await site.list('--state', 'queued', 'uploading', 'held')).length === 0);
}

function namesOf(rows: readonly Row[]): Map<string | null, string | null> {
  return new Map(rows.map((row) => [row.sha256, row.name]));
}
