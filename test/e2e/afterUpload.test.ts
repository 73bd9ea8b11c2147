import { existsSync } from 'node:fs';
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { drawReceipt } from '../support/images.ts';
import { prepare, sha256, storedOnce, until } from './support/agent.ts';

const draw = (seed: string) => drawReceipt({ type: 'jpeg', seed });

test('`afterUpload: archive` moves originals unchanged after their acceptance, and overwrites nothing', async () => {
  const site = await prepare();
  const inbox = site.file('inbox');
  const archive = site.file('archive');
  await site.configure({
    folders: [{ path: inbox, endpoint: 'office', afterUpload: 'archive', archiveTo: archive }],
  });
  await mkdir(archive);
  await writeFile(site.file('archive', 'SCAN0001.jpg'), 'an older scan of that name');
  const [first, second, refused] = [await draw('first'), await draw('second'), await draw('refused')];
  site.sandbox.misbehave({ kind: 'status', status: 422, nameIncludes: 'refused' });
  const agent = await site.quickStart();

  // A scanner that restarts its numbering.
  for (const [n, image] of [first, second].entries()) {
    await writeFile(site.file('inbox', 'SCAN0001.jpg'), image);
    await until(async () => (await site.list('--state', 'accepted')).length === n + 1);
    await until(() => !existsSync(site.file('inbox', 'SCAN0001.jpg')));
  }
  await writeFile(site.file('inbox', 'refused.jpg'), refused);
  await until(async () => (await site.list('--state', 'failed')).length === 1);
  expect(await agent.stop()).toMatchObject({ status: 0 });

  expect(await readFile(site.file('archive', 'SCAN0001.jpg'), 'utf8')).toBe('an older scan of that name');
  expect(await readdir(inbox)).toEqual(['refused.jpg']);
  const rows = await site.list('--state', 'accepted');
  expect(rows).toHaveLength(2);
  for (const { archivedTo, sha256: hash } of rows) {
    expect(archivedTo).not.toBeNull();
    expect(sha256(await readFile(archivedTo ?? ''))).toBe(hash);
  }
  expect(await readdir(archive)).toHaveLength(3);
  expect((await storedOnce(site)).size).toBe(2);
});

test('`afterUpload: delete` removes an original and its duplicates only after the acceptance', async () => {
  const site = await prepare();
  const inbox = site.file('inbox');
  await site.configure({
    folders: [{ path: inbox, endpoint: 'office', settle: { long: '300ms' }, afterUpload: 'delete' }],
  });
  await site.quickMust('pause', 'office');
  const agent = await site.quickStart();
  const image = await draw('image');
  await writeFile(site.file('inbox', 'image.jpg'), image);
  await until(async () => (await site.list()).length === 1);
  await writeFile(site.file('inbox', 'copy.jpg'), image);
  await writeFile(site.file('inbox', 'list.jpg'), 'bread and butter');
  await until(async () => (await site.list()).length === 3);
  const before = await site.list();
  expect(before.map(({ state }) => state).toSorted()).toEqual(['duplicate', 'held', 'rejected']);
  expect((await readdir(inbox)).toSorted()).toEqual(['copy.jpg', 'image.jpg', 'list.jpg']);

  await site.quickMust('resume', 'office');
  await until(async () => (await readdir(inbox)).join() === 'list.jpg', 'both to be deleted');
  expect((await storedOnce(site)).size).toBe(1);

  // The same image again was already accepted, so it is removed at once and not sent.
  await writeFile(site.file('inbox', 'again.jpg'), image);
  await until(async () => (await readdir(inbox)).join() === 'list.jpg', 'the late copy to be deleted');
  expect(site.sandbox.stats().uploadArrivals).toHaveLength(1);
  expect(await agent.stop()).toMatchObject({ status: 0 });
});
