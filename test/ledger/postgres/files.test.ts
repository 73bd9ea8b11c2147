import { execFileSync } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readAuthorities, readPassword } from '../../../src/ledger/postgres/files.ts';
import { asOrdinaryUser } from '../../support/ordinaryUser.ts';
import { isRoot } from '../../support/root.ts';

let dir: string;
let file: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'receiptd-password-'));
  file = join(dir, 'password');
  await chmod(dir, 0o755);
});
afterEach(() => rm(dir, { recursive: true, force: true }));

describe('the password of the database', () => {
  it.each([
    ['open sesame\n', 'open sesame'],
    [' spaces count \r\nno more\n', ' spaces count '],
    ['\uFEFFmarked', 'marked'],
  ])('is the first line of %j', async (text, password) => {
    await writeFile(file, text, { mode: 0o600 });
    expect(await readPassword(file)).toBe(password);
  });

  it('is refused if other users can read it', async () => {
    await writeFile(file, 'secret', { mode: 0o640 });
    await expect(readPassword(file)).rejects.toMatchObject({
      code: 'CREDENTIALS_INSECURE',
      message: `ledger.passwordFile: ${file} can be read by users other than its owner.`,
      hint: `Make it private: chmod 600 '${file}'`,
    });
  });

  it('is refused if it is missing, empty or not a regular file', async () => {
    await expect(readPassword(file)).rejects.toMatchObject({
      code: 'FILE_UNREADABLE',
      message: `ledger.passwordFile: ${file} can't be read (ENOENT).`,
    });
    await writeFile(file, '\nsecond\n', { mode: 0o600 });
    await expect(readPassword(file)).rejects.toMatchObject({ code: 'LEDGER_REFUSED' });
    await rm(file);
    execFileSync('mkfifo', ['-m', '600', file]);
    await expect(readPassword(file)).rejects.toMatchObject({
      code: 'LEDGER_REFUSED',
      message: `ledger.passwordFile: ${file} is not a regular file.`,
    });
  });
});

it.skipIf(!isRoot)("another user's password file is not read", async () => {
  await writeFile(file, 'secret', { mode: 0o600 });
  await expect(asOrdinaryUser(() => readPassword(file))).rejects.toMatchObject({
    code: 'FILE_UNREADABLE',
    message: `ledger.passwordFile: ${file} can't be read (EACCES).`,
  });
});

it('authorities that are not certificates are refused', async () => {
  await writeFile(file, 'not a certificate');
  await expect(readAuthorities(file)).rejects.toMatchObject({
    code: 'LEDGER_REFUSED',
    message: `ledger.ca: ${file} contains no certificate in PEM format.`,
  });
  await expect(readAuthorities(dir)).rejects.toMatchObject({
    message: `ledger.ca: ${dir} can't be read (EISDIR).`,
  });
});
