/** The configuration of the console changes while the agent runs, through its own page and in the file. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { ask, perform, signIn } from '../console/server/browser.ts';
import { hookServer, mailServer } from '../features/alerts/channels/receivers.ts';
import { drawReceipt } from '../support/images.ts';
import { freePort } from '../support/ports.ts';
import { until } from './support/agent.ts';
import { attackedForFile } from './support/console.ts';

const PASSWORD = 'correct-horse-battery-9';
const STATE = z.object({ revision: z.string(), problem: z.string().nullable() });

const attacked = attackedForFile();

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

// What patterns cost: test/core/domain/globs.test.ts.
test('a pattern of many stars delays no receipt, and one of many groups is refused', async () => {
  const { site, origin, cookie } = attacked();
  const refused = await change(origin, cookie, ['folders', 0, 'ignore'], ['+(+(a|aa))'.repeat(120)]);
  expect(refused.json).toMatchObject({ code: 'CONFIG_INVALID' });
  const include = ['*.jpg', `${'*a'.repeat(100)}b`];
  const settings = { endpoint: 'office', include };
  const path = site.file('inbox');
  expect((await perform(origin, cookie, 'testFolder', { path, settings })).status).toBe(200);
  expect((await change(origin, cookie, ['folders', 0, 'include'], include)).status).toBe(200);
  const name = `${'a'.repeat(239)}1.jpg`;
  await writeFile(site.file('inbox', name), await drawReceipt({ type: 'jpeg', seed: name }));
  await attacked().stillWell();
});

test('the console sets a mail server and its password, and tests it; the password is neither shown nor sent to another server', async () => {
  const asked: unknown[] = [];
  const onAuth: NonNullable<Parameters<typeof mailServer>[0]>['onAuth'] = (
    { username, password },
    _,
    done,
  ) => {
    asked.push(password);
    if (password === PASSWORD) done(null, { user: username });
    else done(new Error('no'));
  };
  const { mails, port } = await mailServer({ authOptional: false, onAuth });
  const { hooks, url } = await hookServer();
  const { origin, cookie, site, agent } = attacked();
  const call = async (operation: string, request: object = {}) =>
    (await perform(origin, cookie, operation, request)).json;
  const edit = async (path: string[], value: unknown) => (await change(origin, cookie, path, value)).json;
  expect(await call('testAlerts')).toEqual({ results: [] });
  expect(await call('setMailPassword', { password: PASSWORD })).toMatchObject({ code: 'CONFIG_INVALID' });
  const email = { server: `smtp://127.0.0.1:${port}`, user: 'scans', to: ['ann@example.com'] };
  expect(await edit(['alerts'], { webhook: { url }, email })).toMatchObject({ problem: null });

  expect(await call('mailPassword')).toEqual({ where: 'missing' });
  const before = await call('testAlerts', { channel: 'email' });
  const noPassword = { key: 'ALERT_UNDELIVERED.noMailPassword', params: { user: 'scans' } };
  expect(before).toMatchObject({ results: [{ channel: 'email', error: noPassword }] });
  expect((await site.look('check')).stdout).toContain('No password is stored for scans');

  expect(await call('setMailPassword', { password: PASSWORD })).toEqual({ store: 'file' });
  expect(await call('mailPassword')).toEqual({ where: 'stored' });
  expect(await call('testAlerts', { channel: 'email' })).toEqual({
    results: [{ channel: 'email', problem: null }],
  });
  expect([mails[0]?.to, mails[0]?.user, hooks]).toEqual([['ann@example.com'], 'scans', []]);
  expect(await call('testAlerts')).toEqual({
    results: [
      { channel: 'webhook', problem: null },
      { channel: 'email', problem: null },
    ],
  });
  // The command line also finds the password.
  expect(await site.quickMust('alerts', 'test')).toBe('webhook: delivered\nemail: delivered\n');

  // The password is not used for another server.
  asked.length = 0;
  const other = await mailServer({ authOptional: false, onAuth });
  await edit(['alerts', 'email', 'server'], `smtp://127.0.0.1:${other.port}`);
  expect(await call('mailPassword')).toEqual({ where: 'missing' });
  expect(await call('testAlerts', { channel: 'email' })).toMatchObject({
    results: [{ error: noPassword }],
  });
  expect(asked).toEqual([]);

  const shown = JSON.stringify([await call('config'), await call('alerts'), await call('status')]);
  expect(shown).not.toContain(PASSWORD);
  expect(await readFile(site.config, 'utf8')).not.toContain(PASSWORD);
  expect(agent.stderr).not.toContain(PASSWORD);
  const state = await readdir(site.stateDir, { recursive: true, withFileTypes: true });
  const holding: string[] = [];
  for (const entry of state.filter((each) => each.isFile()))
    if ((await readFile(join(entry.parentPath, entry.name))).includes(PASSWORD)) holding.push(entry.name);
  expect(holding).toEqual(['mail-credentials.json']);
  const journal = await readFile(site.file('state', 'ledger.journal'), 'utf8');
  expect(journal).toContain('alerts.email.user: ');
});

test('a page sets folders and archives only where the file allows it, and no programs or other files', async () => {
  const { origin, cookie, site } = attacked();
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

test('a page that changes the console gets its answer, and stays signed in if the address stays', async () => {
  const { origin, cookie, site } = attacked();
  expect(await answers(origin, 'nas')).toBe(421);
  const named = await change(origin, cookie, ['console', 'hosts'], ['nas']);
  expect([named.status, named.json]).toMatchObject([200, { problem: null }]);
  await until(async () => (await answers(origin, 'nas')) === 200);
  await attacked().stillWell();

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

test('a port that another program uses disables the console, but delays no receipt', async () => {
  const { site } = attacked();
  const port = await freePort();
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(port, '127.0.0.1', resolve));
  await site.configure({ console: { listen: `127.0.0.1:${port}` } });
  await site.quickMust('reload');
  const told = () => site.quickMust('status');
  await until(async () => (await told()).includes(`127.0.0.1:${port}`), 'status to tell');
  const before = site.sandbox.received().length;
  await writeFile(site.file('inbox', 'a.jpg'), await drawReceipt({ type: 'jpeg', seed: 'a' }));
  await until(() => site.sandbox.received().length > before);
  const refused = await site.look('console');
  expect([refused.status, refused.stdout]).toEqual([1, '']);
  expect(refused.stderr).toContain('[PORT_IN_USE]');
  await new Promise((resolve) => other.close(resolve));
  await until(async () => (await answers(`http://127.0.0.1:${port}`)) === 200, 'the console to listen');
  expect(await told()).not.toContain('another program');
});
