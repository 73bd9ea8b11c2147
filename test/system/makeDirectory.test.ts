import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeDirectory } from '../../src/system/makeDirectory.ts';
import { requirement } from '../support/requires.ts';
import { tempDir } from '../support/tempDir.ts';

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
