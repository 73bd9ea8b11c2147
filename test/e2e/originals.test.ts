import { copyFile, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { callControl } from '../../src/control/client.ts';
import { drawReceipt } from '../support/images.ts';
import { prepare, Site, until } from './support/agent.ts';

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
  const without = text.replaceAll(/^ {4}afterUpload.*\n/gm, '');
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

it('a restart with a new `afterUpload` leaves earlier originals alone', async () => {
  const site = await prepare();
  const first = await site.quickStart();
  await accepted(site, 'old-1.jpg', 'old-2.jpg');
  await first.stop();
  await setAfterUpload(site, '    afterUpload: archive\n    archiveTo: ../archive\n');
  const agent = await site.quickStart();
  await agent.logged(RULE);
  await writeFile(site.file('inbox', 'new.jpg'), await draw('new'));
  await until(async () => (await site.list('--state', 'accepted')).length === 3);
  await until(async () => (await files(site)).join() === 'old-1.jpg,old-2.jpg', 'the new one to be archived');
  expect(await agent.stop()).toMatchObject({ status: 0 });
  expect((await site.quickOnce()).status).toBe(0);
  expect(await files(site)).toEqual(['old-1.jpg', 'old-2.jpg']);
});

it.each([
  { lines: '    afterUpload: delete\n', sent: 2, stay: '' },
  {
    lines: '    afterUpload: delete\n    afterUploadExisting: leave\n',
    sent: 2,
    stay: 'old-1.jpg,old-2.jpg',
  },
  { lines: '    afterUpload: delete\n    existing: skip\n', sent: 0, stay: 'old-1.jpg,old-2.jpg' },
])(
  'an agent without its state directory is a new one, and follows only the file: $lines',
  async ({ lines, sent, stay }) => {
    const site = await prepare();
    const first = await site.quickStart();
    await accepted(site, 'old-1.jpg', 'old-2.jpg');
    await setAfterUpload(site, '    afterUpload: delete\n');
    await site.quickMust('reload');
    await first.logged(RULE);
    await first.stop();
    expect(await files(site)).toEqual(['old-1.jpg', 'old-2.jpg']);
    await rm(site.stateDir, { recursive: true });
    await setAfterUpload(site, lines);
    expect((await site.quickOnce()).status).toBe(0);
    expect(await site.list('--state', 'accepted')).toHaveLength(sent);
    expect((await files(site)).join()).toBe(stay);
  },
);

it('a dry run counts the originals that a change concerns, and the change leaves them alone by default', async () => {
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
});
