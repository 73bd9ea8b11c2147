/** Where the console may point the agent: real paths count, when a place is chosen and whenever it is used. */
import { mkdir, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { callControl } from '../../src/control/client.ts';
import { perform } from '../console/server/browser.ts';
import { drawReceipt } from '../support/images.ts';
import { until } from './support/agent.ts';
import { attackedForFile } from './support/console.ts';

const attacked = attackedForFile();

const STATE = z.object({ revision: z.string() });

const SETTLE = { short: '50ms', long: '50ms' };

/** A console that may use `allowed`, and a directory of root's with a receipt. */
async function reachable() {
  const { site, origin, cookie } = attacked();
  const [allowed, secret] = [site.file('allowed'), site.file('private', 'taxes')];
  for (const dir of [allowed, secret]) await mkdir(dir, { recursive: true });
  await writeFile(join(secret, 'salary.jpg'), await drawReceipt({ type: 'jpeg', seed: 'salary' }));
  await site.configure({
    folders: [{ path: site.file('shop', 'inbox'), endpoint: 'office', settle: SETTLE }],
    console: { roots: [allowed] },
  });
  await mkdir(site.file('shop', 'inbox'), { recursive: true });
  await site.quickMust('reload');
  const setFolder = async (more: object) => {
    const { revision } = STATE.parse((await perform(origin, cookie, 'config')).json);
    const folder = { endpoint: 'office', settle: SETTLE, existing: 'send', ...more };
    const edits = [{ kind: 'append', path: ['folders'], value: folder }];
    return perform(origin, cookie, 'changeConfig', { revision, edits });
  };
  return { allowed, secret, setFolder };
}

test('the console chooses no place through a link that leads out of what it may use', async () => {
  const { allowed, secret, setFolder } = await reachable();
  const { site, origin, cookie } = attacked();
  const shop = site.file('shop');
  await symlink(secret, join(allowed, 'link'));
  await symlink(join(secret, '..'), join(allowed, 'up'));
  await symlink('link', join(allowed, 'chain'));
  await symlink(secret, join(shop, 'beside'));
  await symlink(secret, join(shop, 'inbox', 'within'));
  await symlink(join(secret, 'missing'), join(allowed, 'dangling'));
  await mkdir(join(allowed, 'fine'));
  const out = [
    join(allowed, 'link'),
    join(allowed, 'link', 'deeper', 'still'),
    join(allowed, 'up', 'taxes'),
    join(allowed, 'chain'),
    join(allowed, 'dangling'),
    join(shop, 'beside'),
    join(shop, 'inbox', 'within'),
    secret,
  ];
  const fine = join(allowed, 'fine');
  for (const place of out) {
    for (const folder of [
      { path: place, afterUpload: 'delete' },
      { path: fine, afterUpload: 'archive', archiveTo: place },
      { path: fine, needsAttention: place },
    ]) {
      const answer = await setFolder(folder);
      expect([folder, answer.json]).toMatchObject([folder, { code: 'CONSOLE_REFUSED' }]);
    }
    const looked = await perform(origin, cookie, 'testFolder', {
      path: place,
      settings: { endpoint: 'office' },
    });
    expect([place, looked.json]).toMatchObject([place, { code: 'CONSOLE_REFUSED' }]);
    const listed = await perform(origin, cookie, 'directories', { path: place });
    expect([place, listed.json]).toMatchObject([place, { code: 'CONSOLE_REFUSED' }]);
  }
  // A link that stays within leads nowhere new.
  await symlink('fine', join(allowed, 'stays'));
  expect((await setFolder({ path: join(allowed, 'stays') })).status).toBe(200);
  expect(site.sandbox.received()).toEqual([]);
  const begin = [allowed, shop].map((path) => ({ name: path, path }));
  const list = async (path?: string) => (await perform(origin, cookie, 'directories', { path })).json;
  expect(await list()).toMatchObject({ path: null, folders: begin });
  expect(await list(shop)).toMatchObject({ path: shop, parent: null });
  expect(await list(fine)).toEqual({ path: fine, parent: allowed, folders: [], isCut: false });
  expect(await list(join(allowed, 'missing'))).toMatchObject({ code: 'FOLDER_UNREADABLE' });
});

test('a folder that was chosen in the console and is replaced by a link sends, archives and deletes nothing there', async () => {
  const { allowed, secret, setFolder } = await reachable();
  const { site } = attacked();
  const chosen = join(allowed, 'team', 'scans');
  await mkdir(chosen, { recursive: true });
  const set = await setFolder({ path: chosen, afterUpload: 'delete', recursive: true });
  expect([set.status, set.json]).toMatchObject([200, { problem: null }]);
  await writeFile(join(chosen, 'one.jpg'), await drawReceipt({ type: 'jpeg', seed: 'one' }));
  await until(() => site.sandbox.received().length === 1, 'a receipt in its own place to be sent');
  const state = async () => {
    const { folders } = await callControl(site.stateDir, 'status', {});
    return folders.find(({ path }) => path === chosen)?.state;
  };
  await until(async () => (await state()) === 'watching');
  let { agent } = attacked();
  await rename(secret, join(secret, '..', 'scans'));
  for (const [swapped, leadsTo] of [
    [chosen, join(secret, '..', 'scans')],
    [join(allowed, 'team'), join(secret, '..')],
  ] as const) {
    await rename(swapped, `${swapped}-before`);
    await symlink(leadsTo, swapped);
    await until(async () => (await state()) === 'unreadable', 'the agent to see that it leads elsewhere');
    // A restarted agent knows it, too.
    await agent.stop();
    agent = await site.quickStart();
    await until(async () => (await state()) === 'unreadable', 'a restarted agent to see it');
    expect(site.sandbox.received()).toHaveLength(1);
    await rm(swapped);
    await rename(`${swapped}-before`, swapped);
    await until(async () => (await state()) === 'watching', 'the folder to be watched in its place again');
  }
  expect(await readdir(join(secret, '..', 'scans'))).toEqual(['salary.jpg']);
});
