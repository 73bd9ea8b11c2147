/** Sets up alerts in the console: a mail server, its password and a test. Nobody else gets that password. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { perform } from '../console/server/browser.ts';
import { hookServer, mailServer } from '../features/alerts/channels/receivers.ts';
import { underAttack } from './support/console.ts';

const PASSWORD = 'correct-horse-battery-9';
const STATE = z.object({ revision: z.string() });

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
  const { origin, cookie, site, agent } = await underAttack();
  const call = async (operation: string, request: object = {}) =>
    (await perform(origin, cookie, operation, request)).json;
  const edit = async (path: string[], value: unknown) => {
    const { revision } = STATE.parse(await call('config'));
    return call('changeConfig', { revision, edits: [{ kind: 'set', path, value }] });
  };
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
