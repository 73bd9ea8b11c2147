import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { drawReceipt } from '../support/images.ts';
import { prepare, Site, until } from './support/agent.ts';

/** While an image is written, stable, named, begun, answered, disposed: a backup falls on all of these. */
const IMAGES = 12;
const BACKUPS = 3;

test('a backup taken at any moment knows every document that was acknowledged before, under its name, and has the images that wait', async () => {
  const site = await prepare({ spool: 'always', delivery: { concurrency: 2, rate: '6/s' } });
  const agent = await site.quickStart();
  const scans = (async () => {
    for (let n = 0; n < IMAGES; n += 1) {
      await writeFile(site.file('inbox', `${n}.jpg`), await drawReceipt({ type: 'jpeg', seed: `${n}` }));
      await until(async () => (await readdir(site.file('inbox'))).length > n);
    }
  })();
  const taken: { readonly archive: string; readonly before: Awaited<ReturnType<Site['list']>> }[] = [];
  for (let n = 0; n < BACKUPS; n += 1) {
    const sent = site.sandbox.received().length;
    await until(() => site.sandbox.received().length > sent || sent === IMAGES);
    const archive = site.file(`${n}.receiptd`);
    const before = await site.list();
    await site.must('backup', archive);
    taken.push({ archive, before });
  }
  await scans;
  await until(async () => (await site.list('--state', 'accepted')).length === IMAGES);
  await agent.stop();
  const final = new Map((await site.list()).map(({ sha256, name }) => [sha256, name]));
  for (const [n, { archive, before }] of taken.entries()) {
    const copy = new Site(site.file(`copy-${n}`), site.sandbox);
    await site.quickMust('restore', archive, '--beside', copy.dir);
    const restored = await copy.list();
    const names = new Map(restored.map(({ sha256, name }) => [sha256, name]));
    const isAccepted = new Set(restored.flatMap((row) => (row.state === 'accepted' ? [row.name] : [])));
    const acknowledged = before.filter(({ name }) => name !== null);
    for (const { sha256, name } of acknowledged) expect([n, names.get(sha256)]).toEqual([n, name]);
    for (const { name, state } of acknowledged)
      expect([name, state !== 'accepted' || isAccepted.has(name)]).toEqual([name, true]);
    // No image has another name than it will be sent under.
    for (const [sha256, name] of names) expect(name ?? final.get(sha256)).toBe(final.get(sha256));
    const copies = (await readdir(join(copy.dir, 'spool'), { recursive: true })).map((path) =>
      path.slice(-64),
    );
    const waiting = restored.filter(({ state }) => state === 'queued' || state === 'uploading');
    for (const { sha256 } of waiting) expect(copies).toContain(sha256);
    expect(await copy.look('ledger', 'verify')).toMatchObject({
      status: 0,
    });
  }
});
