/** The questions of `receiptd setup` about people: who gets mail, and where they see unsent files. */
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { mailServer } from '../features/alerts/channels/receivers.ts';
import { hasNamespaces } from '../support/namespace.ts';
import { terminalIsHere } from '../support/terminal.ts';
import type { Ended } from './support/agent.ts';
import { shell } from './support/commandLine.ts';
import { desk, type Desk } from './support/desk.ts';
import { quick, variables } from './support/unattended.ts';

const PASSWORD = 'mail-pass-4711';

/** Accepts one user with one password. */
const strict = () =>
  mailServer({
    authOptional: false,
    onAuth({ username, password }, _, done) {
      if (username === 'scans' && password === PASSWORD) done(null, { user: username });
      else done(new Error('Invalid user or password'));
    },
  });

/** Answers to the other questions of setup. */
function others(here: Desk): Record<string, string> {
  return {
    ...variables(here),
    RECEIPTD_SETUP_RATE: '60/min',
    RECEIPTD_SETUP_SERVICE: 'no',
    RECEIPTD_SETUP_TEST_RECEIPT: 'no',
  };
}

function unattended(here: Desk, ...args: string[]): Promise<Ended> {
  return quick(here, args, others(here));
}

describe.skipIf(!terminalIsHere)('receiptd setup in a terminal', () => {
  test('asks for recipients and a mail server, tries them with a test mail, and never shows the password', async () => {
    const { mails, port } = await strict();
    const here = await desk();
    const terminal = here.setup([], { env: others(here) });
    await terminal.chooses('Show people at the scanner', 'Yes, in "_needs attention"');
    await terminal.answers('E-mail address for alerts', 'office');
    await terminal.sees('Please enter a mail address');
    terminal.type('@example.com');
    await terminal.answers('');
    await terminal.answers('Mail server, such as', `127.0.0.1:${port}`);
    await terminal.answers('User name for the mail server', 'scans');
    await terminal.answers('File with the password', 'nowhere');
    await terminal.sees("can't be read (ENOENT)");
    terminal.type('\x15');
    await terminal.answers('');
    await terminal.answers('Mail server password for scans:', 'wrong');
    await terminal.answers('Send a test mail now?');
    await terminal.sees('rejects the user name scans');
    await terminal.chooses('The test mail was not delivered.', 'Correct the answers');
    await terminal.answers('E-mail address for alerts, or none:');
    await terminal.answers('Mail server:');
    await terminal.answers('User name for the mail server, or none:');
    await terminal.answers('File with the password');
    await terminal.answers('Mail server password for scans:', PASSWORD);
    await terminal.answers('Send a test mail now?');
    await terminal.sees(`127.0.0.1:${port} accepted a test mail for office@example.com.`);
    await terminal.sees(`Files that could not be sent are shown in: ${join(here.scans, '_needs attention')}`);
    await terminal.sees(`E-mail alerts: office@example.com, through smtp://127.0.0.1:${port}`);
    await terminal.answers('Go ahead?');
    await terminal.sees('Stored the mail server password in');
    expect(await terminal.ends()).toBe(0);

    expect(mails).toMatchObject([{ to: ['office@example.com'], user: 'scans' }]);
    const passwordFile = join(here.dir, 'state', 'mail-password');
    expect(await here.settings()).toMatchObject({
      folders: [{ path: here.scans, needsAttention: '_needs attention' }],
      alerts: {
        email: {
          server: `smtp://127.0.0.1:${port}`,
          user: 'scans',
          passwordFile,
          to: ['office@example.com'],
        },
      },
    });
    expect((await stat(passwordFile)).mode & 0o777).toBe(0o600);
    expect(await readFile(here.config, 'utf8')).not.toContain(PASSWORD);
    expect(terminal.raw).not.toContain(PASSWORD);

    // Alerts are sent with the written settings.
    here.site.env = { ...here.env, RECEIPTD_CONFIG: here.config };
    expect(await here.site.look('alerts', 'test')).toMatchObject({ status: 0 });
    expect(mails).toHaveLength(2);

    const written = await readFile(here.config, 'utf8');
    const again = here.quickSetup([], others(here));
    await again.chooses('Show people at the scanner', 'Yes, as now');
    await again.answers('E-mail address for alerts, or none:');
    await again.answers('Mail server:');
    await again.answers('User name for the mail server, or none:');
    await again.answers('File with the password, or - to type the password:');
    await again.answers('Go ahead?');
    await again.sees('Everything is set up already; nothing was changed.');
    expect(await again.ends()).toBe(0);
    expect(await readFile(here.config, 'utf8')).toBe(written);
    expect(mails).toHaveLength(2);
  });

  test('continues without an unknown mail server, and with one that does not answer', async () => {
    const here = await desk();
    const first = here.quickSetup([], others(here));
    await first.answers('Show people at the scanner');
    await first.answers('E-mail address for alerts', 'office@example.com');
    await first.answers('Mail server, such as');
    await first.sees('Files that could not be sent are shown in: no folder');
    await first.sees('E-mail alerts: none');
    await first.answers('Go ahead?');
    expect(await first.ends()).toBe(0);
    expect(await here.settings()).not.toHaveProperty('alerts.email');

    const next = here.quickSetup([], others(here));
    await next.chooses('Show people at the scanner', 'Yes, in another folder');
    await next.answers('Path of the folder for files that could not be sent:', here.scans);
    await next.sees('would be watched by');
    await next.chooses('Show people at the scanner', 'Yes, in another folder');
    await next.answers('Path of the folder for files that could not be sent:', '../not sent');
    await next.answers('E-mail address for alerts', 'office@example.com');
    await next.answers('Mail server, such as', '127.0.0.1:1');
    await next.answers('User name for the mail server (Enter: none):');
    await next.answers('Send a test mail now?');
    await next.sees("can't be reached");
    await next.chooses('The test mail was not delivered.', 'Continue with these answers');
    await next.answers('Go ahead?');
    await next.sees('The test mail was not delivered.');
    expect(await next.ends()).toBe(0);
    expect(await here.settings()).toMatchObject({
      folders: [{ needsAttention: join(here.dir, 'home', 'not sent') }],
      alerts: { email: { server: 'smtp://127.0.0.1:1', to: ['office@example.com'] } },
    });
  });
});

describe('receiptd setup --yes', () => {
  test('accepts mail alerts and the folder for people as options, and changes nothing the second time', async () => {
    const { mails, port } = await strict();
    const here = await desk();
    await writeFile(join(here.dir, 'password'), `${PASSWORD}\n`, { mode: 0o600 });
    const people = [
      '--alert-email',
      'office@example.com, boss@example.com',
      '--needs-attention',
      '_needs attention',
    ];
    const server = ['--mail-server', `smtp://127.0.0.1:${port}`];
    const user = ['--mail-user', 'scans', '--mail-password-file', 'password'];
    const args = ['--json', ...people, ...server, ...user, '--test-mail'];
    const first = await unattended(here, ...args);
    expect(first).toMatchObject({ status: 0, stderr: '' });
    expect(JSON.parse(first.stdout)).toMatchObject({
      changed: true,
      folder: { needsAttention: join(here.scans, '_needs attention') },
      alerts: { to: ['office@example.com', 'boss@example.com'], server: `smtp://127.0.0.1:${port}` },
      testMail: { sent: true },
    });
    expect(mails).toMatchObject([{ to: ['office@example.com', 'boss@example.com'] }]);
    expect(await here.settings()).toMatchObject({
      alerts: { email: { user: 'scans', passwordFile: join(here.dir, 'password') } },
    });
    const written = await readFile(here.config, 'utf8');
    const second = await unattended(here, ...args);
    expect(JSON.parse(second.stdout)).toMatchObject({ changed: false, config: { result: 'unchanged' } });
    expect(await readFile(here.config, 'utf8')).toBe(written);

    // An omitted option changes nothing; `none` removes the setting.
    expect((await unattended(here)).status).toBe(0);
    expect(await readFile(here.config, 'utf8')).toBe(written);
    const last = await unattended(here, '--json', '--alert-email', 'none', '--needs-attention', 'none');
    expect(last).toMatchObject({ status: 0, stderr: '' });
    expect(JSON.parse(last.stdout)).toMatchObject({
      changed: true,
      alerts: null,
      folder: { needsAttention: null },
    });
  });

  const REFUSED: [args: string[], status: number, words: string][] = [
    [['--alert-email', 'a@example.com'], 2, '--mail-server (RECEIPTD_SETUP_MAIL_SERVER)'],
    [['--mail-server', 'mail.example.com'], 2, '--alert-email (RECEIPTD_SETUP_ALERT_EMAIL)'],
    [
      ['--alert-email', 'a@example.com', '--mail-server', 'mail.example.com', '--mail-user', 'a'],
      2,
      '--mail-password-file (RECEIPTD_SETUP_MAIL_PASSWORD_FILE)',
    ],
    [['--alert-email', 'office'], 2, 'Use a mail address'],
    [['--mail-server', 'http://mail.example.com'], 2, 'Use a mail server such as'],
    [['--needs-attention', '.'], 2, 'would be watched by'],
    [
      ['--alert-email', 'a@b', '--mail-server', 'm', '--mail-user', 'a', '--mail-password-file', 'no'],
      1,
      '[FILE_UNREADABLE]',
    ],
  ];

  test('refuses impossible answers with a reason, and does nothing', async () => {
    const here = await desk();
    for (const [args, status, words] of REFUSED) {
      const ended = await unattended(here, ...args);
      expect(ended, args.join(' ')).toMatchObject({ status, stdout: '' });
      expect(ended.stderr).toContain(words);
      await expect(stat(here.config)).rejects.toThrow('ENOENT');
    }
  });

  test.skipIf(!hasNamespaces)(
    'names `service install` if systemd runs and no service is installed',
    async () => {
      const here = await desk();
      const env = { ...here.env, ...others(here) };
      expect((await unattended(here)).stdout).not.toContain('service install');
      // Makes systemd appear to run, for this command only.
      await mkdir(join(here.dir, 'run/systemd/system'), { recursive: true });
      const there = await shell(
        here.site,
        `unshare -U -r -m sh -c 'mount --bind "$0" /run && exec "$@"' '${join(here.dir, 'run')}' $RECEIPTD setup --yes`,
        { env },
      );
      expect(there).toMatchObject({ status: 0, stderr: '' });
      expect(there.stdout).toContain('  receiptd service install\n');
    },
  );
});
