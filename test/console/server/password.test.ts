import { chmod, mkdtemp, readFile, rm, stat, symlink, rename, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  PasswordFile,
  passwordFile,
  removePassword,
  writePassword,
} from '../../../src/console/server/password.ts';
import { setKnownPassword } from './knownPassword.ts';

let stateDir: string;

beforeEach(async () => {
  stateDir = await mkdtemp(join(tmpdir(), 'receiptd-password-'));
});

afterEach(async () => {
  await rm(stateDir, { recursive: true });
});

const isKept = async () => (await new PasswordFile(stateDir).current()) !== null;

describe('the password', () => {
  it('is stored as a hash that only the owner can read; matches only itself, in any Unicode normalization; is reloaded when its file changes, and unset when that is removed', async () => {
    const file = new PasswordFile(stateDir);
    expect(await file.current()).toBeNull();
    await setKnownPassword(stateDir);
    const first = await file.current();
    expect(await file.current()).toBe(first);
    await writePassword(stateDir, 'Geb\u00e4ckst\u00fcck 12');
    const text = await readFile(passwordFile(stateDir), 'utf8');
    expect(text).toMatch(/^scrypt\$15\$8\$3\$[\w-]{22}\$[\w-]{43}\n$/);
    expect((await stat(passwordFile(stateDir))).mode & 0o777).toBe(0o600);
    const second = await file.current();
    expect(second?.fingerprint).not.toBe(first?.fingerprint);
    expect(await second?.matches('Geba\u0308ckstu\u0308ck 12')).toBe(true);
    expect(await removePassword(stateDir)).toBe(true);
    expect(await file.current()).toBeNull();
    expect(await removePassword(stateDir)).toBe(false);
  });

  it('is checked by no more than two attempts at once', async () => {
    await setKnownPassword(stateDir);
    const password = await new PasswordFile(stateDir).current();
    const [first, second, third] = ['correct horse battery', 'wrong', 'wrong'].map((typed) =>
      password?.matches(typed),
    );
    expect(third).toBeNull();
    expect([await first, await second]).toEqual([true, false]);
  });

  it('is ignored if its file is readable by others, a symbolic link, or malformed', async () => {
    await setKnownPassword(stateDir);
    const file = passwordFile(stateDir);
    await chmod(file, 0o640);
    expect(await isKept()).toBe(false);
    await chmod(file, 0o600);
    expect(await isKept()).toBe(true);
    await rename(file, join(stateDir, 'elsewhere'));
    await symlink(join(stateDir, 'elsewhere'), file);
    expect(await isKept()).toBe(false);
    await rm(file);
    for (const text of ['', 'correct horse battery', 'scrypt$1$1$1$$\n', 'x'.repeat(100_000)]) {
      await writeFile(file, text, { mode: 0o600 });
      expect(await isKept()).toBe(false);
    }
  });
});
