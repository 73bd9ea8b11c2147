import { copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import { callControl } from '../../src/control/client.ts';
import { drawReceipt } from '../support/images.ts';
import { prepare, sha256, Site, storedOnce, until } from './support/agent.ts';

/** Messages about `afterUpload` after it was set, and the files that are left in the folder. */

const draw = (seed: string) => drawReceipt({ type: 'jpeg', seed });

const files = async (site: Site) => (await readdir(site.file('inbox'))).toSorted();

async function accepted(site: Site, ...names: string[]): Promise<void> {
  for (const name of names) await writeFile(site.file('inbox', name), await draw(name));
  await until(async () => {
    const rows = await site.list('--state', 'accepted');
    return names.every((name) => rows.some(({ path }) => path.endsWith(name)));
  });
}

async function setAfterUpload(site: Site, lines: string): Promise<void> {
  const text = await readFile(site.config, 'utf8');
  const without = text.replaceAll(/^ {4}(?:afterUpload|existing).*\n/gm, '');
  await writeFile(site.config, without.replace(/^ {4}endpoint: office\n/m, `    endpoint: office\n${lines}`));
}

const STAY = '2 files that were accepted before `afterUpload: delete` was set stay in the folder';
const RULE = 'Files accepted before afterUpload was set stay';

it('a new `afterUpload` leaves earlier originals alone after a reload, a restart and a rebuild, and reports them', async () => {
  const site = await prepare({ intake: { reconcileEvery: '1s' } });
  const agent = await site.start();
  await accepted(site, 'old-1.jpg', 'old-2.jpg');

  await setAfterUpload(site, '    afterUpload: delete\n');
  expect(await site.quickMust('check', '--offline')).toContain(STAY);
  expect(await site.quickMust('reload')).toContain(`${STAY}; set \`afterUploadExisting: include\``);
  await agent.logged(RULE);
  await writeFile(site.file('inbox', 'new-1.jpg'), await draw('new-1'));
  await until(async () => (await site.list('--state', 'accepted')).length === 3);
  await until(async () => (await files(site)).join() === 'old-1.jpg,old-2.jpg', 'the new one to be deleted');
  await agent.kill();

  // The ledger is recreated from its journal.
  await writeFile(site.file('state', 'ledger.db'), 'not a ledger any more');
  const again = await site.quickStart();
  await writeFile(site.file('inbox', 'new-2.jpg'), await draw('new-2'));
  await until(async () => (await site.list('--state', 'accepted')).length === 4);
  await until(async () => (await files(site)).join() === 'old-1.jpg,old-2.jpg', 'the next one to be deleted');
  expect(await site.quickMust('check', '--offline')).toContain(STAY);

  const include = '    afterUpload: delete\n    afterUploadExisting: include\n';
  // In a separate file, because the agent applies changes of its own file by itself.
  const tried = new Site(site.dir, site.sandbox, 'tried.yaml');
  await copyFile(site.config, tried.config);
  await setAfterUpload(tried, include);
  expect(await tried.quickMust('check', '--offline')).toContain('2 files that were accepted before');
  await setAfterUpload(site, include);
  await site.quickMust('reload');
  await until(async () => (await files(site)).length === 0, 'all to be deleted');
  await again.stop();
});

it('a dry run counts the originals that a change concerns, and the change leaves them alone by default, as does one before a restart', async () => {
  const site = await prepare();
  const agent = await site.quickStart();
  await accepted(site, 'old-1.jpg', 'old-2.jpg');
  const { revision } = await callControl(site.stateDir, 'config', {});
  const edits = [{ kind: 'set' as const, path: ['folders', 0, 'afterUpload'], value: 'delete' }];
  const concerned = { folder: site.file('inbox'), afterUpload: 'delete', files: 2, stay: true };
  expect(await callControl(site.stateDir, 'changeConfig', { revision, edits, dryRun: true })).toMatchObject({
    originals: [concerned],
  });
  const after = await callControl(site.stateDir, 'changeConfig', { revision, edits });
  expect(after).toMatchObject({ originals: [concerned] });
  await agent.logged(RULE);
  await writeFile(site.file('inbox', 'new.jpg'), await draw('new'));
  await until(async () => (await site.list('--state', 'accepted')).length === 3);
  await until(async () => (await files(site)).join() === 'old-1.jpg,old-2.jpg', 'the new one to be deleted');
  await agent.stop();

  await setAfterUpload(site, '    afterUpload: archive\n    archiveTo: ../archive\n');
  const again = await site.quickStart();
  await again.logged(RULE);
  await writeFile(site.file('inbox', 'newer.jpg'), await draw('newer'));
  await until(async () => (await site.list('--state', 'accepted')).length === 4);
  await until(async () => (await files(site)).join() === 'old-1.jpg,old-2.jpg', 'the new one to be archived');
  expect(await again.stop()).toMatchObject({ status: 0 });
  expect((await site.quickOnce()).status).toBe(0);
  expect(await files(site)).toEqual(['old-1.jpg', 'old-2.jpg']);
});

it('an agent without its state directory is a new one, and follows only the file', async () => {
  const site = await prepare();
  const first = await site.quickStart();
  await accepted(site, 'old-1.jpg', 'old-2.jpg');
  await setAfterUpload(site, '    afterUpload: delete\n');
  await site.quickMust('reload');
  await first.logged(RULE);
  await first.stop();
  expect(await files(site)).toEqual(['old-1.jpg', 'old-2.jpg']);
  for (const { lines, sent, stay } of [
    { lines: '    afterUploadExisting: leave\n', sent: 2, stay: 'old-1.jpg,old-2.jpg' },
    { lines: '    existing: skip\n', sent: 0, stay: 'old-1.jpg,old-2.jpg' },
    { lines: '', sent: 2, stay: '' },
  ]) {
    await rm(site.stateDir, { recursive: true });
    await setAfterUpload(site, `    afterUpload: delete\n${lines}`);
    expect((await site.quickOnce()).status).toBe(0);
    expect(await site.list('--state', 'accepted'), lines).toHaveLength(sent);
    expect((await files(site)).join(), lines).toBe(stay);
  }
});

describe('after the upload', () => {
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
});
