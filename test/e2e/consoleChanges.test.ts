/** The configuration of the console changes while the agent runs, through its own page and in the file. */
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { ask, perform, signIn } from '../console/server/browser.ts';
import { drawReceipt } from '../support/images.ts';
import { prepare, until, type Site } from './support/agent.ts';
import { underAttack } from './support/console.ts';
import { freePort } from '../support/ports.ts';

const STATE = z.object({ revision: z.string(), problem: z.string().nullable() });

async function change(origin: string, cookie: string, path: (string | number)[], value: unknown) {
  const { revision } = STATE.parse((await perform(origin, cookie, 'config')).json);
  return perform(origin, cookie, 'changeConfig', {
    revision,
    edits: [{ kind: 'set', path, value }],
    by: 'root',
  });
}

const answers = (origin: string, host = new URL(origin).host) =>
  ask(origin, { path: '/session', headers: { host } }).then(
    ({ status }) => status,
    () => 0,
  );

test('a page that changes the console gets its answer, and stays signed in if the address stays', async () => {
  const attacked = await underAttack();
  const { origin, cookie, site } = attacked;
  expect(await answers(origin, 'nas')).toBe(421);
  const named = await change(origin, cookie, ['console', 'hosts'], ['nas']);
  expect([named.status, named.json]).toMatchObject([200, { problem: null }]);
  await until(async () => (await answers(origin, 'nas')) === 200);
  await attacked.stillWell();

  // Only the file sets the address.
  const port = await freePort();
  const listening = await change(origin, cookie, ['console', 'listen'], `127.0.0.1:${port}`);
  expect(listening.json).toMatchObject({ code: 'CONSOLE_REFUSED' });
  const text = await readFile(site.config, 'utf8');
  await writeFile(site.config, text.replace('console:', `console:\n  listen: 127.0.0.1:${port}`));
  await site.quickMust('reload');
  await until(async () => (await answers(`http://127.0.0.1:${port}`)) === 200);
  expect(await answers(origin)).toBe(0);
  const link = (await site.quickMust('console', '--no-open')).trim();
  expect(new URL(link).port).toBe(String(port));
  const again = await signIn(link);

  expect((await change(new URL(link).origin, again, ['console', 'hosts'], ['nas', 'other'])).status).toBe(
    200,
  );
  const journal = await readFile(site.file('state', 'ledger.journal'), 'utf8');
  expect(journal).toContain('"by":"console"');
  expect(journal).not.toContain('"by":"root"');
});

async function told(site: Site): Promise<string> {
  return (await site.look('status')).stdout;
}

test('a page sets folders and archives only where the file allows it, and no programs or other files', async () => {
  const { origin, cookie, site } = await underAttack();
  const before = await readFile(site.config, 'utf8');
  const edit = (path: (string | number)[], value: unknown) => change(origin, cookie, path, value);
  for (const [path, value] of [
    [['folders', 0, 'archiveTo'], '/etc/cron.d'],
    [['folders', 0, 'needsAttention'], '/etc/cron.d'],
    [['folders', 0, 'archiveTo'], '../../../../../etc/cron.d'],
    [['folders', 0, 'archiveTo'], '../.ssh'],
    [['folders', 0, 'path'], '/etc'],
    [['results', 'command'], ['/bin/sh']],
    [['alerts'], { command: ['/bin/sh'], after: '1m' }],
    [['alerts', 'email', 'passwordFile'], '/etc/shadow'],
    [['alerts', 'webhook', 'secretFile'], '/etc/shadow'],
    [['service', 'proxy'], 'http://127.0.0.1:9'],
    [['service', 'baseUrl'], 'https://elsewhere.example'],
    [['monitoring', 'listen'], '0.0.0.0:9464'],
    [['results', 'listen'], '127.0.0.1:8472'],
    [['console', 'listen'], '127.0.0.1:8471'],
    [['console'], { listen: '127.0.0.1:8471', hosts: ['nas'] }],
    [['console', 'roots'], ['/etc']],
    [['credentials'], { store: 'file', file: '/etc/passwd' }],
    [['stateDir'], '/etc'],
  ] as const) {
    const refused = await edit([...path], value);
    expect([value, refused.json]).toMatchObject([value, { code: 'CONSOLE_REFUSED' }]);
  }
  const looked = await perform(origin, cookie, 'testFolder', {
    path: '/etc',
    settings: { endpoint: 'office' },
  });
  expect(looked.json).toMatchObject({ code: 'CONSOLE_REFUSED' });
  expect(await readFile(site.config, 'utf8')).toBe(before);

  expect((await edit(['folders', 0, 'archiveTo'], '../scanned')).json).toMatchObject({ problem: null });
  expect(await edit(['folders', 0, 'needsAttention'], '_needs attention')).toMatchObject({ status: 200 });
  // The file may name any place, which the page may then keep.
  const text = await readFile(site.config, 'utf8');
  await writeFile(site.config, `${text}console:\n  roots: [ /srv/elsewhere ]\n`);
  await site.quickMust('reload');
  expect(await edit(['folders', 0, 'archiveTo'], '/srv/elsewhere/2026')).toMatchObject({ status: 200 });
});

test('a port that another program uses disables the console, but delays no receipt', async () => {
  const port = await freePort();
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(port, '127.0.0.1', resolve));
  const site = await prepare();
  await site.configure({ console: { listen: `127.0.0.1:${port}` } });
  const agent = await site.quickStart();
  await until(async () => (await told(site)).includes(`127.0.0.1:${port}`), 'status to tell');
  await writeFile(site.file('inbox', 'a.jpg'), await drawReceipt({ type: 'jpeg', seed: 'a' }));
  await until(() => site.sandbox.received().length === 1);
  const refused = await site.look('console');
  expect([refused.status, refused.stdout]).toEqual([1, '']);
  expect(refused.stderr).toContain('[PORT_IN_USE]');
  await new Promise((resolve) => other.close(resolve));
  await until(async () => (await answers(`http://127.0.0.1:${port}`)) === 200, 'the console to listen');
  expect(await told(site)).not.toContain('another program');
  expect((await agent.stop()).status).toBe(0);
});
