import { chmod, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { prepareStateDir } from '../../src/daemon/stateDir.ts';
import { asOwnerOf } from '../support/ordinaryUser.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(path.join(os.tmpdir(), 'receiptd-state-'));
});
afterEach(async () => {
  await chmod(dir, 0o700);
  await rm(dir, { recursive: true, force: true });
});

const posix = process.platform !== 'win32';

test('a missing state directory is created, with its parents', async () => {
  const deep = path.join(dir, 'a', 'b');
  expect(await prepareStateDir(deep)).toEqual({ note: null });
  expect(await readdir(deep)).toEqual([]);
  expect((await stat(deep)).mode & 0o777).toBe(posix ? 0o700 : 0o777);
});

test('what is in an existing one is left alone', async () => {
  await writeFile(path.join(dir, 'ledger'), 'kept');
  expect(await prepareStateDir(dir)).toEqual({ note: null });
  expect(await readdir(dir)).toEqual(['ledger']);
});

test.skipIf(!posix)('access for others is noted', async () => {
  await chmod(dir, 0o750);
  const { note } = await prepareStateDir(dir);
  expect(note).toContain(dir);
  expect(note).toContain('mode 750');
  expect(await prepareStateDir(dir, 'win32')).toEqual({ note: null });
});

test('a file in its place is refused', async () => {
  const file = path.join(dir, 'file');
  await writeFile(file, '');
  for (const place of [file, path.join(file, 'below')]) {
    const refusal = await prepareStateDir(place).catch((error: unknown) => error);
    expect(refusal).toMatchObject({
      code: 'STATE_UNWRITABLE',
      message: expect.stringContaining('not a directory'),
    });
  }
});

test.skipIf(!posix)('one that may not be written is refused', async () => {
  await chmod(dir, 0o500);
  await asOwnerOf(dir, async () => {
    for (const place of [dir, path.join(dir, 'new')]) {
      const refusal = await prepareStateDir(place).catch((error: unknown) => error);
      expect(refusal).toMatchObject({
        code: 'STATE_UNWRITABLE',
        message: expect.stringContaining('permission denied'),
      });
    }
  });
});
