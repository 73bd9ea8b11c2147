import { execFileSync } from 'node:child_process';
import { chmod, chown, mkdir, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { NotAFile } from '../../src/system/plainFile.ts';
import { readPrivateFile, TooLarge } from '../../src/system/privateFile.ts';
import { asOrdinaryUser, ordinaryOwner } from '../support/ordinaryUser.ts';
import { tempDir } from '../support/tempDir.ts';
import { isRoot } from '../support/root.ts';
import { makeDirectory } from '../../src/system/makeDirectory.ts';
import { requirement } from '../support/requires.ts';

const OPEN_TO_OTHERS = [0o640, 0o604, 0o620, 0o602, 0o610, 0o601, 0o666];

async function secretFile(mode = 0o600): Promise<string> {
  const file = join(tempDir('private'), 'secret');
  await writeFile(file, 'secret');
  await chmod(file, mode);
  return file;
}

async function textOf(...args: Parameters<typeof readPrivateFile>): Promise<string> {
  return (await readPrivateFile(...args)).toString();
}

describe('a private file', () => {
  it.each([0o600, 0o400, 0o700])('is read with mode %o', async (mode) => {
    expect(await textOf(await secretFile(mode))).toBe('secret');
  });

  it.each(OPEN_TO_OTHERS)('is refused with mode %o', async (mode) => {
    const file = await secretFile(mode);
    await expect(readPrivateFile(file)).rejects.toMatchObject({
      code: 'CREDENTIALS_INSECURE',
      message: `${file} can be read by users other than its owner.`,
      hint: `Make it private: chmod 600 '${file}'`,
    });
  });

  it('is refused under the name that the caller gives it', async () => {
    const file = await secretFile(0o644);
    await expect(readPrivateFile(file, { name: 'the password' })).rejects.toMatchObject({
      message: 'the password can be read by users other than its owner.',
      hint: expect.stringContaining(file),
    });
  });

  it('is read with any mode on Windows', async () => {
    expect(await textOf(await secretFile(0o644), { platform: 'win32' })).toBe('secret');
  });

  it('may be a symbolic link to a file that only its owner may read', async () => {
    const file = await secretFile();
    const link = `${file}-link`;
    await symlink(file, link);
    expect(await textOf(link)).toBe('secret');
    await chmod(file, 0o644);
    await expect(readPrivateFile(link)).rejects.toMatchObject({ code: 'CREDENTIALS_INSECURE' });
  });

  it('may belong to another user if this one can read it, as root can', async () => {
    const file = await secretFile();
    const { uid, gid } = ordinaryOwner();
    await chown(file, uid, gid);
    expect(await textOf(file)).toBe('secret');
  });

  it.skipIf(!isRoot)('of another user is unreadable without the rights of root', async () => {
    const file = await secretFile();
    await chmod(join(file, '..'), 0o755);
    await asOrdinaryUser(() => expect(readPrivateFile(file)).rejects.toMatchObject({ code: 'EACCES' }));
  });

  it('must exist', async () => {
    await expect(readPrivateFile('/nowhere/secret')).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('must not be a directory or a FIFO, and a FIFO does not block', async () => {
    const dir = tempDir('private');
    const fifo = join(dir, 'fifo');
    execFileSync('mkfifo', ['-m', '600', fifo]);
    for (const path of [dir, fifo]) await expect(readPrivateFile(path)).rejects.toBeInstanceOf(NotAFile);
  });

  it('must not be larger than the limit', async () => {
    const file = await secretFile();
    expect(await textOf(file, { maxBytes: 6 })).toBe('secret');
    await expect(readPrivateFile(file, { maxBytes: 5 })).rejects.toBeInstanceOf(TooLarge);
  });
});

test('creates a directory and its parents, and returns the first that it created', async () => {
  const dir = tempDir('make-directory');
  await mkdir(join(dir, 'a'));
  expect(await makeDirectory(join(dir, 'a', 'b', 'c'), 0o700)).toBe(join(dir, 'a', 'b'));
  expect((await stat(join(dir, 'a', 'b', 'c'))).isDirectory()).toBe(true);
  expect(await makeDirectory(join(dir, 'a', 'b', 'c'))).toBeUndefined();
});

const modes = requirement('Modes of directories', process.platform !== 'win32', 'Windows has none');
test.skipIf(!modes)('gives the mode to each directory that it creates', async () => {
  const dir = tempDir('make-directory');
  await makeDirectory(join(dir, 'a', 'b'), 0o700);
  for (const path of ['a', 'a/b']) expect((await stat(join(dir, path))).mode & 0o777).toBe(0o700);
});

test('creates a directory that several callers want at once, once', async () => {
  const path = join(tempDir('make-directory'), 'a', 'b', 'c');
  const made = await Promise.all(Array.from({ length: 8 }, () => makeDirectory(path)));
  expect(made).toContain(join(path, '..', '..'));
});

test('fails where a file is in the way', async () => {
  const file = join(tempDir('make-directory'), 'file');
  await writeFile(file, '');
  await expect(makeDirectory(file)).rejects.toMatchObject({ code: 'EEXIST' });
  await expect(makeDirectory(join(file, 'a', 'b'))).rejects.toMatchObject({
    code: expect.stringMatching(/^(?:ENOTDIR|ENOENT)$/) as string,
  });
});

const proc = requirement('/proc', process.platform === 'linux', 'Linux has it');
test.skipIf(!proc)(
  'fails where a file system creates no directories, instead of trying forever',
  async () => {
    await expect(makeDirectory('/proc/none/of/it')).rejects.toMatchObject({ code: 'ENOENT' });
  },
);
