import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { mailPasswords } from '../../src/wiring/mailPassword.ts';
import { parse, yaml } from '../config/support.ts';
import { tempDir } from '../support/tempDir.ts';

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
