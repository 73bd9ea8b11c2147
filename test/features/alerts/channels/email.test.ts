import { afterAll, describe, expect, it } from 'vitest';
import { createEmailChannel, type EmailOptions } from '../../../../src/features/alerts/channels/email.ts';
import { mailOf } from '../../../../src/features/alerts/channels/mail.ts';
import { createAuthority, hasOpenssl } from '../../../api/certificates.ts';
import { createRedactor } from '../../../../src/logs/redact.ts';
import { RecordedLog } from '../../../support/recordedLog.ts';
import { NEVER, OPENED } from './anAlert.ts';
import { mailServer } from './receivers.ts';

const WORDS = { from: (host: string) => `receiptd on ${host}`, since: (time: string) => `since ${time}` };
const PASSWORD = 'correct horse battery';
const WRONG = 'wrong-password';

function channel(options: Partial<EmailOptions> & Pick<EmailOptions, 'server'>) {
  return createEmailChannel({
    login: null,
    from: 'scans@example.com',
    to: ['ann@example.com', 'bob@example.com'],
    words: async () => WORDS,
    tls: async () => ({}),
    log: new RecordedLog(),
    redact: (text) => createRedactor([PASSWORD, WRONG]).redactCut(text),
    ...options,
  });
}

const LOGIN = { user: 'scans', password: async () => PASSWORD };

/** Accepts one user with one password, and repeats a wrong password in its answer. */
const auth = (({ username, password }, _session, done) =>
  username === LOGIN.user && password === PASSWORD
    ? done(null, { user: username })
    : done(new Error(`no: ${String(password)}`))) satisfies NonNullable<
  NonNullable<Parameters<typeof mailServer>[0]>['onAuth']
>;

it('the subject of a mail states the problem, the machine and the time; the mail goes to every recipient', async () => {
  const { mails, port } = await mailServer();
  await channel({ server: `smtp://127.0.0.1:${port}` }).send(OPENED, NEVER);
  const [mail] = mails;
  expect(mail?.to).toEqual(['ann@example.com', 'bob@example.com']);
  expect(mail?.headers.get('subject')).toMatch(
    /^receiptd on scanpc: \/mnt\/scans can't be reached \(since \d\d:\d\d\)$/,
  );
  expect(mail?.headers.get('from')).toBe('receiptd <scans@example.com>');
  expect(mail?.headers.get('message-id')).toBe(`<${OPENED.id}@scanpc>`);
  expect(mail?.headers.get('auto-submitted')).toBe('auto-generated');
  expect(mail?.headers.get('content-type')).toMatch(/^text\/plain/);
  expect(mail?.text.replaceAll('\r\n', '\n')).toContain(OPENED.text);
});

it('a recovery is a reply to the alert', () => {
  const over = {
    ...OPENED,
    id: 'second',
    kind: 'closed',
    subject: 'Over: it.',
    follows: ['a', 'b'],
  } as const;
  expect(mailOf(over, WORDS)).toMatchObject({
    subject: 'receiptd on scanpc: Over: it',
    messageId: '<second@scanpc>',
    inReplyTo: '<a@scanpc>',
    references: ['<a@scanpc>', '<b@scanpc>'],
  });
});

it('no text of others becomes a header or an address', async () => {
  const { mails, port } = await mailServer();
  const hostile = 'x\r\nBcc: eve@example.com\r\n\r\nhello\u2028\nTo: eve@example.com';
  const alert = {
    ...OPENED,
    subject: hostile,
    host: 'h\r\nBcc: eve@example.com',
    text: '.\r\nQUIT\r\n.\r\n',
  };
  await channel({ server: `smtp://127.0.0.1:${port}`, from: null }).send(alert, NEVER);
  expect(mails).toHaveLength(1);
  expect(mails[0]?.to).toEqual(['ann@example.com', 'bob@example.com']);
  expect([...(mails[0]?.headers.keys() ?? [])]).not.toContain('bcc');
  expect(mails[0]?.headers.get('to')).toBe('ann@example.com, bob@example.com');
  expect(mails[0]?.text).toContain('.\r\nQUIT\r\n.\r\n');
});

it('the mail channel signs in, and reports a wrong password without quoting it', async () => {
  const { mails, port } = await mailServer({ authOptional: false, onAuth: auth });
  const server = `smtp://127.0.0.1:${port}`;
  await channel({ server, login: LOGIN }).send(OPENED, NEVER);
  expect(mails[0]?.user).toBe('scans');
  const wrong = channel({ server, login: { user: 'scans', password: async () => WRONG } });
  await expect(wrong.send(OPENED, NEVER)).rejects.toMatchObject({
    key: 'ALERT_UNDELIVERED.mailLogin',
    params: { user: 'scans', said: expect.stringContaining('no: [redacted]') },
  });
  await expect(channel({ server }).send(OPENED, NEVER)).rejects.toMatchObject({
    key: expect.stringMatching(/\.(?:mailRefused|mailNeedsLogin)$/),
  });
});

it('a mail that the server accepts for some recipients is not sent again, and the log names the others', async () => {
  const log = new RecordedLog();
  const { mails, port } = await mailServer({
    onRcptTo: ({ address }, _session, done) =>
      address.startsWith('bob') ? done(new Error('no such user')) : done(),
  });
  await channel({ server: `smtp://127.0.0.1:${port}`, log }).send(OPENED, NEVER);
  expect(mails[0]?.to).toEqual(['ann@example.com']);
  expect(log.said('The mail server accepted an alert')).toMatchObject([
    { fields: { refused: 'bob@example.com' } },
  ]);
});

it('a missing or silent server is reported in a sentence', async () => {
  await expect(channel({ server: 'smtp://127.0.0.1:1' }).send(OPENED, NEVER)).rejects.toMatchObject({
    key: 'ALERT_UNDELIVERED.mailUnreachable',
    params: { host: '127.0.0.1:1' },
  });
  // A caller that stops waiting can name the server.
  expect(channel({ server: 'smtp://scans@mail.example.com:2525' }).receiver).toEqual({
    of: 'mail.example.com:2525',
    setting: 'alerts.email.server',
  });
  const over = new AbortController();
  const { port } = await mailServer({ onConnect: () => over.abort(new Error('that is enough')) });
  await expect(channel({ server: `smtp://127.0.0.1:${port}` }).send(OPENED, over.signal)).rejects.toThrow(
    'that is enough',
  );
});

describe.skipIf(!hasOpenssl)('encryption', () => {
  const authority = hasOpenssl ? createAuthority() : null;
  afterAll(() => authority?.remove());
  const certificate = () => authority?.issue('DNS:localhost,IP:127.0.0.1') ?? { key: '', cert: '' };

  it('is used from the start with smtps://', async () => {
    const { mails, port } = await mailServer({ secure: true, ...certificate() });
    await channel({ server: `smtps://127.0.0.1:${port}` }).send(OPENED, NEVER);
    expect(mails[0]?.isEncrypted).toBe(true);
  });

  it('accepts a self-signed certificate for STARTTLS from a server on this machine', async () => {
    const { mails, port } = await mailServer({ disabledCommands: [], ...certificate() });
    await channel({ server: `smtp://localhost:${port}` }).send(OPENED, NEVER);
    expect(mails[0]?.isEncrypted).toBe(true);
  });

  // 0.0.0.0 reaches this machine on Linux, but does not look like it.
  it.runIf(process.platform === 'linux')(
    'requires STARTTLS with a valid certificate from a server on another machine',
    async () => {
      const bare = await mailServer({ onAuth: auth });
      const elsewhere = channel({ server: `smtp://0.0.0.0:${bare.port}`, login: LOGIN });
      await expect(elsewhere.send(OPENED, NEVER)).rejects.toMatchObject({
        key: 'ALERT_UNDELIVERED.mailUnencrypted',
      });
      const signed = await mailServer({ disabledCommands: [], ...certificate() });
      const unknown = channel({ server: `smtp://0.0.0.0:${signed.port}` });
      await expect(unknown.send(OPENED, NEVER)).rejects.toMatchObject({ code: 'ALERT_UNDELIVERED' });
      expect([...bare.mails, ...signed.mails]).toEqual([]);
    },
  );
});
