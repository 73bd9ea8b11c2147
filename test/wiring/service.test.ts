import { mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { expect, it } from 'vitest';
import { changesOf } from '../../src/wiring/service.ts';
import type { CredentialsSource } from '../../src/core/ports/credentials.ts';
import { checkInstalls } from '../../src/wiring/installs.ts';
import { tempDir } from '../support/tempDir.ts';
import { mailPasswords } from '../../src/wiring/mailPassword.ts';
import { parse, yaml } from '../config/support.ts';

it('first and changed credentials are reported, unchanged ones are not', async () => {
  let secret: string | null = null;
  const source: CredentialsSource = {
    get: async () => {
      if (secret === null) throw new Error('none');
      return { clientId: 'id', clientSecret: secret, store: 'file' };
    },
  };
  const changed = changesOf(() => source);
  expect(await changed(null)).toBe(false);
  expect(await changed(null)).toBe(false);
  secret = 'first';
  expect(await changed(null)).toBe(true);
  expect(await changed(null)).toBe(false);
  secret = 'second';
  expect(await changed(null)).toBe(true);
  secret = null;
  expect(await changed(null)).toBe(false);
  secret = 'second';
  expect(await changed(null)).toBe(true);
});

it('credentials that changed between two configurations are reported', async () => {
  let clientSecret = 'first';
  const source: CredentialsSource = { get: async () => ({ clientId: 'id', clientSecret, store: 'file' }) };
  const last = new Map<string | null, string>();
  expect(await changesOf(() => source, last)(null)).toBe(false);
  expect(await changesOf(() => source, last)(null)).toBe(false);
  clientSecret = 'second';
  expect(await changesOf(() => source, last)(null)).toBe(true);
});

it('changed credentials are reported per account', async () => {
  const secrets = new Map<string | null, string>([
    [null, 'a'],
    ['branch', 'b'],
  ]);
  const sourceOf = (account: string | null): CredentialsSource => ({
    get: async () => ({ clientId: 'id', clientSecret: secrets.get(account) ?? '', store: 'file' }),
  });
  const changed = changesOf(sourceOf);
  expect(await changed(null)).toBe(false);
  expect(await changed('branch')).toBe(false);
  secrets.set('branch', 'c');
  expect(await changed(null)).toBe(false);
  expect(await changed('branch')).toBe(true);
});

it('`check` names every install in the PATH if there are several, starting with the one that is used', async () => {
  const dir = tempDir('installs');
  const [npm, packaged, same, none] = ['npm', 'packaged', 'same', 'none'].map((name) => join(dir, name));
  for (const each of [npm, packaged, same]) await mkdir(each ?? '');
  await writeFile(join(dir, 'program.cjs'), '');
  await symlink(join(dir, 'program.cjs'), join(npm ?? '', 'receiptd'));
  await symlink(join(dir, 'program.cjs'), join(same ?? '', 'receiptd'));
  await writeFile(join(packaged ?? '', 'receiptd'), '');
  const found = (...path: (string | undefined)[]) => checkInstalls({ PATH: path.join(delimiter) }, 'linux');
  expect(await found(none, npm, same, npm)).toEqual([]);
  expect(await found('', none)).toEqual([]);
  const [finding] = await found(npm, same, packaged);
  const places = [`${npm}/receiptd`, `${packaged}/receiptd`];
  expect(finding).toMatchObject({ level: 'warn', fact: { is: 'install', places } });
});

const PASSWORD = 'correct horse battery';
const MAIL = { server: 'smtps://mail.example.com', user: 'scans' };

async function begin() {
  const stateDir = tempDir('mail');
  const { service } = parse(yaml({}));
  const credentials = { store: 'file', file: join(stateDir, 'credentials.json') } as const;
  return { stateDir, passwords: mailPasswords({ stateDir, credentials, service }, {}) };
}

it('the mail password is stored beside the credentials, readable by its owner only', async () => {
  const { stateDir, passwords } = await begin();
  await expect(passwords.read(MAIL)).rejects.toMatchObject({ code: 'ALERT_UNDELIVERED' });
  expect(await passwords.write(MAIL, `${PASSWORD}\n`)).toBe('file');
  expect(await passwords.read(MAIL)).toBe(PASSWORD);
  const file = join(stateDir, 'mail-credentials.json');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readFile(file, 'utf8')).toContain(PASSWORD);
});

it.each([
  { ...MAIL, server: 'smtp://mail.example.com' },
  { ...MAIL, server: 'smtps://mail.example.com:4650' },
  { ...MAIL, server: 'smtps://elsewhere.example' },
  { ...MAIL, user: 'ann' },
])('the mail password is not used for $user at $server', async (other) => {
  const { passwords } = await begin();
  await passwords.write(MAIL, PASSWORD);
  await expect(passwords.read(other)).rejects.toMatchObject({
    code: 'ALERT_UNDELIVERED',
    message: /^No password is stored for \w+ at [\w.:]+\.$/,
    hint: /in the console/,
  });
});

it.each(['', ' ', 'two\nlines', 'x'.repeat(5000)])(
  'an impossible mail password is refused',
  async (password) => {
    const { passwords } = await begin();
    await expect(passwords.write(MAIL, password)).rejects.toMatchObject({ code: 'USAGE' });
  },
);
