import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { expect, it } from 'vitest';
import { alertsFile } from '../../src/features/alerts/store.ts';
import { hookServer, mailServer } from '../features/alerts/channels/receivers.ts';
import { prepare, until, type Site } from './support/agent.ts';
import { quickly } from './support/commandLine.ts';

interface Body {
  readonly type: string;
  readonly data: { readonly id: string; readonly code: string; readonly follows: readonly string[] };
}

/** The recorded number of alerts that are not delivered through every channel. */
async function waiting(site: Site): Promise<number> {
  const { outbox } = JSON.parse(await readFile(alertsFile(site.stateDir), 'utf8')) as { outbox: unknown[] };
  return outbox.length;
}

it('a missing folder causes one alert by mail and webhook, even across a kill, and one recovery', async () => {
  const login = { user: 'scans', password: 'of the mail server' };
  const { mails, port } = await mailServer({
    authOptional: false,
    onAuth: ({ username, password }, _session, done) =>
      username === login.user && password === login.password
        ? done(null, { user: username })
        : done(new Error('no')),
  });
  const { hooks, url } = await hookServer();
  const site = await prepare();
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  await writeFile(site.file('secret'), `${secret}\n`, { mode: 0o600 });
  await writeFile(site.file('password'), login.password, { mode: 0o600 });
  await writeFile(
    site.file('tell.sh'),
    '#!/bin/sh\ncat >> told.jsonl; echo "$RECEIPTD_ALERT_SUBJECT" >> subjects\n',
  );
  await chmod(site.file('tell.sh'), 0o700);
  await site.configure({
    alerts: {
      after: '1s',
      webhook: { url: `${url}/hook?key=1`, secretFile: 'secret' },
      email: {
        server: `smtp://127.0.0.1:${port}`,
        user: login.user,
        passwordFile: 'password',
        from: 'scans@example.com',
        to: ['ann@example.com'],
      },
      command: [site.file('tell.sh')],
    },
  });
  const first = await site.start();
  await rename(site.file('inbox'), site.file('gone'));
  await until(() => mails.length === 1 && hooks.length === 1);
  expect(mails[0]?.headers.get('subject')).toMatch(/^receiptd on .*inbox.* \(since \d\d:\d\d\)$/);
  expect(mails[0]?.headers.get('from')).toContain('scans@example.com');
  const [opened] = hooks;
  expect(opened?.url).toBe('/hook?key=1');
  const { type, data } = new Webhook(secret).verify(opened?.body ?? '', opened?.headers ?? {}) as Body;
  expect([type, data.code]).toEqual(['alert.opened', 'FOLDER_MISSING']);
  // A kill before the delivery was recorded would deliver it again under the same id.
  await until(async () => (await waiting(site)) === 0);
  expect(await site.quickMust('alerts')).toMatch(
    /Sent at [-+\d: ]+ by (?=.*command)(?=.*webhook)(?=.*email)[a-z, ]+\.\n/,
  );
  expect((await stat(alertsFile(site.stateDir))).mode & 0o777).toBe(0o600);
  await first.kill();
  const second = await site.start();
  await second.logged('The folder is not available');
  expect(await site.quickMust('alerts', 'test')).toMatch(
    /^command: delivered\nwebhook: delivered\nemail: delivered\n$/,
  );
  await rename(site.file('gone'), site.file('inbox'));
  await until(() => mails.length === 3 && hooks.length === 3);
  await until(async () => (await waiting(site)) === 0);
  // The command is the third channel, and got the same alerts.
  expect((await readFile(site.file('subjects'), 'utf8')).trim().split('\n')).toHaveLength(3);
  expect(hooks.map(({ body }) => (JSON.parse(body) as Body).type)).toEqual([
    'alert.opened',
    'alert.test',
    'alert.closed',
  ]);
  const closed = JSON.parse(hooks[2]?.body ?? '') as Body;
  expect(closed.data.follows).toEqual([data.id]);
  expect(mails[2]?.headers.get('in-reply-to')).toBe(mails[0]?.headers.get('message-id'));
  expect(await site.quickMust('alerts')).toContain('Nothing is wrong.');

  // A change takes effect without another listing of the folders.
  const listed = second.stderr.split('"Watching"').length;
  await site.configure();
  await site.quickMust('reload');
  expect(await site.quickMust('alerts')).toBe(
    'No alerts are sent: no channel is configured under `alerts`.\nNothing is wrong.\n',
  );
  expect(second.stderr.split('"Watching"')).toHaveLength(listed);
  expect(await second.stop()).toMatchObject({ status: 0 });
  // With the secret, anyone could forge alerts; the address may contain a token.
  for (const text of [
    await readFile(alertsFile(site.stateDir), 'utf8'),
    await readFile(join(site.stateDir, 'logs', 'receiptd.log'), 'utf8'),
    first.stderr + second.stderr,
  ]) {
    expect(text).not.toContain(secret.slice(6));
    expect(text).not.toContain('key=1');
  }
});

it('`alerts test` gives a reason for each channel that fails, even without an agent', async () => {
  const { url } = await hookServer(() => [302, { location: 'http://127.0.0.1:1/' }]);
  const site = await prepare();
  await mkdir(site.file('bin'));
  await writeFile(site.file('bin', 'notify-send'), '#!/bin/sh\nprintf "%s\\n" "$@" > "$0.told"\n', {
    mode: 0o755,
  });
  await writeFile(site.file('open'), 'whsec_x', { mode: 0o644 });
  await site.configure({
    alerts: {
      desktop: true,
      eventLog: true,
      webhook: { url },
      command: ['/nowhere/program'],
      email: { server: 'smtp://127.0.0.1:1', to: ['a@b.c'] },
    },
  });
  site.env = { ...site.env, PATH: `${site.file('bin')}:${process.env['PATH']}` };
  const { status, stdout } = await site.run('alerts', 'test');
  expect(status).toBe(1);
  expect(stdout.split('\n')).toEqual([
    'desktop: delivered',
    expect.stringMatching(/^eventLog: not delivered: /),
    expect.stringMatching(
      /^command: not delivered: \/nowhere\/program could not be started .*\[ALERT_UNDELIVERED\]$/,
    ),
    expect.stringContaining('answered with HTTP 302, a redirect, which receiptd does not follow.'),
    expect.stringMatching(/^email: not delivered: The mail server 127.0.0.1:1 can't be reached/),
    '',
  ]);
  expect(await readFile(site.file('bin', 'notify-send.told'), 'utf8')).toContain('receiptd: This is a test');

  await rm(site.file('bin', 'notify-send'));
  await site.configure({
    alerts: { desktop: true, webhook: { url, secretFile: 'open' }, command: ['/nowhere/program'] },
  });
  const check = await site.look('check', '--offline');
  expect(check.status).toBe(1);
  expect(check.stdout).toContain("alerts.command: /nowhere/program can't be run: it is not there.");
  expect(check.stdout).toMatch(
    /FAIL {2}alerts: alerts.webhook.secretFile: .*open can be read by users other .*\[CREDENTIALS_INSECURE\]/,
  );
  expect(check.stdout).toContain('alerts.desktop: notify-send is not in the PATH');
});

it('`alerts` without an agent says that nobody is alerted, and names the command that shows the problem', async () => {
  const site = await prepare();
  const ended = await quickly(site, ['alerts']);
  expect(ended).toBeRefused(
    1,
    'NOT_RUNNING',
    'so no alerts are being sent.',
    'receiptd run',
    '`receiptd status` shows',
  );
});
