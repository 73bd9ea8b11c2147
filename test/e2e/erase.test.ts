import { readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { drawReceipt } from '../support/images.ts';
import { prepare, until, type Site } from './support/agent.ts';
import { expectNoTrace } from './support/commandLine.ts';

/** Occurs in paths and in the service's answers, but not in names. */
const PERSONAL = 'of-jane-doe';

async function drop(site: Site, name: string): Promise<void> {
  await writeFile(site.file('inbox', name), await drawReceipt({ type: 'jpeg', seed: name }));
}

async function nameOf(site: Site, path: string): Promise<string> {
  const row = (await site.list()).find((each) => each.path === path);
  if (!row?.name) throw new Error(`${path} has no name`);
  return row.name;
}

/** Whether any file of ledger, journal or spool contains this text. */
async function stateHolds(site: Site, text: string): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(site.stateDir, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.parentPath.includes('/logs')) continue;
    const file = `${entry.parentPath}/${entry.name}`;
    if ((await readFile(file)).includes(text)) found.push(file);
  }
  return found;
}

test('an erasure removes paths and answers permanently, and keeps name, hash and state', async () => {
  const site = await prepare();
  await site.configure({ folders: [site.folder('inbox', { name: '{hash:16}' })] });
  const agent = await site.quickStart();
  const file = `receipt-${PERSONAL}.jpg`;
  await drop(site, file);
  await drop(site, 'other.jpg');
  await until(() => site.sandbox.stats().stored === 2);
  await until(async () => (await site.list('--state', 'accepted')).length === 2);
  const name = await nameOf(site, site.file('inbox', file));
  const before = (await site.list()).find((row) => row.name === name);
  expect(await stateHolds(site, PERSONAL)).not.toEqual([]);
  await rm(site.file('inbox', file));
  await until(async () => (await site.look('show', name)).stdout.includes('gone since'));

  const refused = await site.look('erase', name);
  expect(refused).toBeRefused(2, 'CONFIRMATION_NEEDED', '1 document', '--yes');
  expect(await stateHolds(site, PERSONAL)).not.toEqual([]);

  const part = name.slice(0, -3);
  expect(await site.look('erase', part, '--yes')).toBeRefused(
    2,
    'USAGE',
    `"${part}" is not a full name`,
    name,
  );
  expect(await site.quickMust('erase', name, '--yes')).toBe('Erased the personal data of 1 document.\n');
  await agent.stop();
  expect(await stateHolds(site, PERSONAL)).toEqual([]);
  const after = (await site.list()).find((row) => row.name === name);
  expect(after).toMatchObject({ name, sha256: before?.sha256, state: 'accepted' });
  expect(after?.path).not.toContain(PERSONAL);
  expect(await site.list()).toHaveLength(2);
  expect((await site.list()).some(({ path }) => path === site.file('inbox', 'other.jpg'))).toBe(true);
  expect(await site.quickMust('show', name)).toContain(
    `  file       erased; it was in ${site.file('inbox')} (gone since `,
  );
  // Every file is still counted.
  expect(JSON.parse(await site.quickMust('audit', '--json'))).toMatchObject({
    verdict: 'complete',
    total: { seen: 2, accepted: 2 },
  });
});

test('an erasure is refused while the file is still in a watched folder, unless it removes the file too', async () => {
  const site = await prepare({ intake: { reconcileEvery: '1s' } });
  const agent = await site.quickStart();
  await drop(site, 'lies.jpg');
  await drop(site, 'changed.jpg');
  await until(async () => (await site.list('--state', 'accepted')).length === 2);
  const name = await nameOf(site, site.file('inbox', 'lies.jpg'));
  const refused = await site.look('erase', name, '--yes');
  expect(refused.status).toBe(1);
  expect(refused.stdout).toContain(`Not erased: ${name}`);
  expect(refused.stdout).toContain(site.file('inbox', 'lies.jpg'));
  expect(refused.stdout).toContain('--with-originals');
  expect(await stateHolds(site, 'lies.jpg')).not.toEqual([]);

  expect(await site.quickMust('erase', name, '--with-originals', '--yes')).toContain('of 1 document.');
  expect(await readdir(site.file('inbox'))).toEqual(['changed.jpg']);
  // It is not listed again.
  await agent.stop();
  await site.quickOnce();
  expect(await stateHolds(site, 'lies.jpg')).toEqual([]);

  // A file with other bytes than were sent always stays.
  const other = await nameOf(site, site.file('inbox', 'changed.jpg'));
  await writeFile(site.file('inbox', 'changed.jpg'), 'other bytes');
  expect(await site.quickMust('erase', other, '--with-originals', '--yes')).toContain('of 1 document.');
  expect(await readFile(site.file('inbox', 'changed.jpg'), 'utf8')).toBe('other bytes');
});

test('an erasure skips and names documents that still wait; by age, it covers exactly the documents from before that day', async () => {
  const site = await prepare();
  await drop(site, 'sent.jpg');
  await drop(site, 'old.jpg');
  await site.quickOnce();
  expect(JSON.parse(await site.quickMust('erase', '--before', '2001-01-31', '--json'))).toMatchObject({
    erased: 0,
  });
  expect(await site.look('erase', '--before', '2999-01-31')).toBeRefused(
    2,
    'CONFIRMATION_NEEDED',
    '2 documents named before 2999-01-31',
  );
  const bare = await site.look('erase');
  expect(bare).toBeRefused(2, 'USAGE', '--before');
  expectNoTrace(bare);
  expect(await site.look('erase', 'a', '--before', '2026-01-31')).toBeRefused(2, 'USAGE', '--before');
  expect(await site.look('erase', '--before', 'soon')).toBeRefused(2, 'USAGE', 'soon');
  expect(await site.look('erase', 'nobody', '--yes')).toBeRefused(1, 'DOCUMENT_UNKNOWN', 'nobody');

  await site.quickMust('pause', 'office');
  await drop(site, 'waits.jpg');
  await site.quickOnce();
  const waits = await nameOf(site, site.file('inbox', 'waits.jpg'));
  const sent = await nameOf(site, site.file('inbox', 'sent.jpg'));
  await rm(site.file('inbox', 'old.jpg'));
  const erased = async (...args: string[]) =>
    JSON.parse((await site.look('erase', ...args, '--yes', '--json')).stdout) as unknown;
  expect(await erased('--before', '2999-01-31')).toMatchObject({ erased: 1, skipped: [], there: [{}] });
  await rm(site.file('inbox', 'sent.jpg'));
  expect(await stateHolds(site, 'sent.jpg')).not.toEqual([]);
  expect(await erased(sent, waits)).toEqual({ erased: 1, skipped: [waits], there: [] });
  expect(await stateHolds(site, 'sent.jpg')).toEqual([]);
  const text = await site.quickMust('erase', waits);
  expect(text).toContain('Erased the personal data of 0 documents.');
  expect(text).toContain(waits);
  expect(await site.list('--state', 'held')).toMatchObject([{ path: site.file('inbox', 'waits.jpg') }]);
});
