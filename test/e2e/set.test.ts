/** `receiptd set` and `receiptd folder`: changes of the configuration file by a command. */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { callControl } from '../../src/control/client.ts';
import { DEPOT, prepare, until, type Site } from './support/agent.ts';
import { drop, stored } from './support/changing.ts';

const text = (site: Site): Promise<string> => readFile(site.config, 'utf8');

test('without an agent, a setting is changed in the file alone: comments and the former text are kept, and a mistake changes nothing', async () => {
  const site = await prepare();
  const before = `# ours\n${await text(site)}`;
  await writeFile(site.config, before);
  const inbox = site.file('inbox');

  await site.quickMust('set', 'delivery.rate', '30/min');
  await site.quickMust('set', 'silentAfter', 'never', '--folder', inbox);
  const json: unknown = JSON.parse(
    await site.quickMust('set', 'folders[0].include', '["*.jpg", "*.pdf"]', '--json'),
  );
  expect(json).toEqual({ file: site.config, changed: ['folders[0].include'], restartNeeded: [] });
  const changed = await text(site);
  expect(changed).toMatch(/^# ours\n/);
  expect(changed).toContain('rate: 30/min');
  expect(changed).toContain('silentAfter: never');
  const history = await readdir(join(site.stateDir, 'config-history'));
  expect(history).toHaveLength(3);
  expect(await readFile(join(site.stateDir, 'config-history', history.toSorted()[0]!), 'utf8')).toBe(before);
  // The same value again is no change.
  await site.quickMust('set', 'delivery.rate', '30/min');
  expect(await text(site)).toBe(changed);

  for (const args of [
    ['set', 'delivery.rate', 'quickly'],
    ['set', 'delivery.speed', '3'],
    ['set', 'delivery.rate'],
    ['set', 'delivery.rate', '3/s', '--default'],
    ['set', 'silentAfter', 'never', '--folder', '/nowhere'],
    ['set', 'folders[7].name', 'x'],
    ['folder', 'add', inbox],
    ['folder', 'remove', '/nowhere'],
    ['folder', 'add', site.file('other'), '--endpoint', 'nobody'],
  ])
    expect(await site.look(...args), args.join(' ')).toMatchObject({ status: 2 });
  expect(await text(site)).toBe(changed);

  await site.quickMust('set', 'delivery.rate', '--default');
  expect(await text(site)).not.toContain('rate:');
});

test('a running agent applies the change, records who made it, and watches the folders that were added or replaced', async () => {
  const site = await prepare();
  const agent = await site.quickStart();
  const [second, third] = [site.file('second'), site.file('third')];
  await Promise.all([second, third].map((path) => mkdir(path)));
  await drop(site, 'second', 'old.jpg');

  // Two endpoints: the command does not guess.
  expect(await site.look('folder', 'add', second)).toMatchObject({ status: 2 });
  await site.quickMust('folder', 'add', second, '--endpoint', 'office');
  expect(JSON.parse(await site.quickMust('folder', 'list', '--json'))).toEqual([
    { path: site.file('inbox'), endpoint: 'office', existing: 'send' },
    { path: second, endpoint: 'office', existing: 'skip' },
  ]);
  expect(await site.quickMust('folder', 'list')).toContain(second);
  await drop(site, 'second', 'new.jpg');
  await until(() => stored(site).length === 1);
  await site.quickMust('set', 'name', 'second-{hash:8}', '--folder', second);
  expect(await site.look('set', 'stateDir', site.file('elsewhere'))).toMatchObject({ status: 2 });
  JSON.parse(await site.quickMust('folder', 'replace', second, third, '--json'));
  await drop(site, 'second', 'left alone.jpg');
  await drop(site, 'third', 'c.jpg');
  await until(() => stored(site).some((name) => name.startsWith('second-')));
  JSON.parse(await site.quickMust('folder', 'remove', third, '--json'));
  const { folders } = await callControl(site.stateDir, 'status', {});
  expect(folders.map(({ path }) => path)).toEqual([site.file('inbox')]);
  expect(stored(site)).toHaveLength(2);

  const journal = await readFile(join(site.stateDir, 'ledger.journal'), 'utf8');
  for (const detail of ['append folders', 'set folders[1].name', 'set folders[1].path', 'remove folders[1]'])
    expect(journal).toContain(detail);
  const added: unknown = JSON.parse(
    await site.quickMust('folder', 'add', second, '--endpoint', 'depot', '--existing', 'send', '--json'),
  );
  expect(added).toEqual({ file: site.config, changed: ['folders'], restartNeeded: [] });
  await until(() => site.sandbox.received().some(({ endpointUid }) => endpointUid === DEPOT));
  await agent.stop();
});
