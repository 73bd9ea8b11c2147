import { createHook } from 'node:async_hooks';
import { mkdir, readdir, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  archiveDirectory,
  inOwnDirectory,
  inRealDirectory,
  isRealAtOnce,
  parentsAreReal,
} from '../../../src/intake/folder/realDirectory.ts';
import { temporaryDirectory, watched } from './fixture.ts';

const nested = (depth: number): string => Array(depth).fill('d').join('/');

async function tree(depth: number): Promise<string> {
  const folder = join(await temporaryDirectory(), 'scans');
  await mkdir(join(folder, nested(depth)), { recursive: true });
  await writeFile(join(folder, nested(depth), 'a.jpg'), 'a');
  return folder;
}

/** Number of file system operations that `work` starts. */
async function operations(work: () => Promise<unknown>): Promise<number> {
  let count = 0;
  const hook = createHook({
    init: (_id, type) => {
      if (type.startsWith('FSREQ')) count += 1;
    },
  });
  hook.enable();
  await work().finally(() => hook.disable());
  return count;
}

it.runIf(process.platform === 'linux')(
  'a file at depth 320 costs as many operations as one at depth 20',
  async () => {
    const counts: number[][] = [];
    for (const depth of [20, 320]) {
      const folder = watched(await tree(depth));
      await folder.availability();
      const file = `${nested(depth)}/a.jpg`;
      counts.push([
        await operations(async () => expect(await folder.stat(file)).toMatchObject({ kind: 'file' })),
        await operations(async () => expect(await folder.read(file, 10)).toMatchObject({ kind: 'bytes' })),
      ]);
    }
    expect(counts[1]).toEqual(counts[0]);
  },
);

it('a link on the path is detected at any depth, and its target is not reached', async () => {
  for (const depth of [2, 12]) {
    for (const at of [1, depth]) {
      const folder = await tree(depth);
      await rename(join(folder, nested(at)), join(folder, '..', 'elsewhere'));
      await symlink(join(folder, '..', 'elsewhere'), join(folder, nested(at)));
      const file = `${nested(depth)}/a.jpg`;
      expect(await parentsAreReal(folder, file)).toBe(false);
      expect(isRealAtOnce(folder, nested(depth))).toBe(false);
      await expect(inRealDirectory(folder, nested(depth), (held) => readdir(held))).rejects.toMatchObject({
        code: 'ENOTDIR',
      });
    }
  }
});

it('a folder that is itself a link is followed at any depth', async () => {
  for (const depth of [2, 12]) {
    const folder = await tree(depth);
    const link = join(folder, '..', 'link');
    await symlink(folder, link);
    expect(await parentsAreReal(link, `${nested(depth)}/a.jpg`)).toBe(true);
    expect(isRealAtOnce(link, nested(depth))).toBe(true);
    expect(await inRealDirectory(link, nested(depth), (held) => readdir(held))).toEqual(['a.jpg']);
  }
});

it('a missing directory is reported as missing at any depth', async () => {
  for (const depth of [2, 12]) {
    const folder = await tree(depth);
    expect(await parentsAreReal(folder, `${nested(depth)}/e/a.jpg`)).toBe(false);
    await expect(
      inRealDirectory(folder, `${nested(depth)}/e`, (held) => readdir(held)),
    ).rejects.toMatchObject({
      code: 'ENOENT',
    });
  }
});

it('an archive in a watched folder is created, but not the folder itself, which may be an unmounted share', async () => {
  const root = await temporaryDirectory();
  const folder = join(root, 'share');
  const archive = join(folder, 'done');
  const inArchive = () =>
    inOwnDirectory(archiveDirectory(archive, [folder]), '2026', async () => readdir(folder), { make: true });
  await expect(inArchive()).rejects.toMatchObject({ code: 'ENOENT' });
  expect(await readdir(root)).toEqual([]);
  await mkdir(folder);
  expect(await inArchive()).toEqual(['done']);

  const elsewhere = archiveDirectory(join(root, 'kept/done'), [folder]);
  await inOwnDirectory(elsewhere, '2026', async () => {}, { make: true });
  expect(await readdir(join(root, 'kept/done'))).toEqual(['2026']);
});
