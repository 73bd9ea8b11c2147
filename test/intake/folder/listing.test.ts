import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { chmod, chown, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { ListedDirectory } from '../../../src/core/ports/folder.ts';
import { asOrdinaryUser, ordinaryOwner } from '../../support/ordinaryUser.ts';
import { replaceCall, temporaryDirectory, watched } from './fixture.ts';

async function collect(batches: AsyncIterable<ListedDirectory>): Promise<ListedDirectory[]> {
  const all: ListedDirectory[] = [];
  for await (const batch of batches) all.push(batch);
  return all;
}

async function paths(batches: AsyncIterable<ListedDirectory>): Promise<string[]> {
  return (await collect(batches)).flatMap(({ files }) => files.map(({ path }) => path)).sort();
}

async function tree(root: string, ...files: string[]): Promise<void> {
  for (const file of files) {
    await mkdir(join(root, file, '..'), { recursive: true });
    await writeFile(join(root, file), file);
  }
}

async function ownedDirectory(path: string, mode: number): Promise<void> {
  const { uid, gid } = ordinaryOwner();
  await chown(path, uid, gid);
  await chmod(path, mode);
}

describe('a listing', () => {
  it('goes breadth-first, one directory at a time', async () => {
    const root = await temporaryDirectory();
    await tree(root, 'a.jpg', 'x/b.jpg', 'x/deep/c.jpg', 'y/d.jpg');
    const batches = await collect(watched(root).list());
    expect(batches.map(({ dir }) => dir.split('/').length)).toEqual([1, 1, 1, 2]);
    expect(new Map(batches.map(({ dir, files }) => [dir, files]))).toEqual(
      new Map([
        ['', [{ path: 'a.jpg' }]],
        ['x', [{ path: 'x/b.jpg' }]],
        ['y', [{ path: 'y/d.jpg' }]],
        ['x/deep', [{ path: 'x/deep/c.jpg' }]],
      ]),
    );
  });

  it('splits a long directory into several batches, sorted by name', async () => {
    const root = await temporaryDirectory();
    const names = Array.from({ length: 2_500 }, (_, index) => `SCAN${index}.jpg`);
    for (const name of names) writeFileSync(join(root, name), '');
    const batches = await collect(watched(root).list());
    expect(batches.every(({ dir }) => dir === '')).toBe(true);
    expect(Math.max(...batches.map(({ files }) => files.length))).toBeLessThanOrEqual(1_024);
    expect(batches.flatMap(({ files }) => files.map(({ path }) => path))).toEqual(names.toSorted());
  });

  it.each<[string, string[], Parameters<typeof watched>[1], string[]]>([
    ['stays in the folder itself when not recursive', ['a.jpg', 'x/b.jpg'], { recursive: false }, ['a.jpg']],
    [
      'follows patterns, and prunes ignored directories',
      ['a.jpg', 'a.txt', '.b.jpg', 'x/c.JPG', '@eaDir/d.jpg', 'x/.thumb/e.jpg', 'tmp/f.jpg', 'x/tmp/g.jpg'],
      { include: ['*.jpg'], ignore: ['.*', '@eaDir', '/tmp'] },
      ['a.jpg', 'x/c.JPG', 'x/tmp/g.jpg'],
    ],
    [
      'never enters excluded directories, the archive or aside directories',
      ['a.jpg', 'archive/b.jpg', 'state/spool/c.jpg', '.receiptd-aside-0123abcd/d.jpg', 'statement/e.jpg'],
      { exclude: ['state'] },
      ['a.jpg', 'statement/e.jpg'],
    ],
  ])('%s, and so does covers()', async (_, all, options, expected) => {
    const root = await temporaryDirectory();
    await tree(root, ...all);
    const exclude = options?.exclude?.map((path) => join(root, path)) ?? [];
    const folder = watched(root, { ...options, exclude });
    expect(await paths(folder.list())).toEqual(expected);
    expect(all.filter((path) => folder.covers(path)).toSorted()).toEqual(expected);
    for (const path of all.filter((each) => !expected.includes(each) && each.includes('/')))
      expect(expected).toEqual(
        expect.arrayContaining(await paths(folder.list(path.slice(0, path.lastIndexOf('/'))))),
      );
  });

  it('recognizes the archive through a link in either path', async () => {
    const root = await temporaryDirectory();
    await tree(root, 'real/a.jpg', 'real/archive/b.jpg');
    await symlink(join(root, 'real'), join(root, 'alias'));
    const byAlias = watched(join(root, 'alias'), { archiveTo: join(root, 'real', 'archive') });
    expect(await paths(byAlias.list())).toEqual(['a.jpg']);
    expect(byAlias.covers('archive/b.jpg')).toBe(false);
    const byName = watched(join(root, 'real'), { archiveTo: join(root, 'alias', 'archive') });
    expect(await paths(byName.list())).toEqual(['a.jpg']);
  });

  it('recognizes the archive by another spelling where names differ in case only', async () => {
    const root = await temporaryDirectory();
    await tree(root, 'a.jpg', 'done/Archive/b.jpg');
    const folder = watched(root, { archiveTo: 'Done/archive' });
    expect(await paths(folder.list())).toEqual(['a.jpg', 'done/Archive/b.jpg']);
    // As a file system that ignores case answers.
    replaceCall(
      'lstat',
      (real) =>
        (path, ...rest) =>
          real(String(path).replace('Done/archive', 'done/Archive'), ...rest),
    );
    expect(await paths(folder.list())).toEqual(['a.jpg']);
    expect(await paths(folder.list('done/Archive'))).toEqual([]);
    expect(folder.covers('done/Archive/b.jpg')).toBe(false);
    await tree(root, 'Done/archive/c.jpg');
    const both = watched(root, { archiveTo: 'Done/archive' });
    expect(await paths(both.list())).toEqual(['a.jpg', 'done/Archive/b.jpg']);
  });

  it('names an entry that cannot be looked at, and lists the others', async () => {
    const root = await temporaryDirectory();
    await tree(root, 'a.jpg', 'bad.jpg', 'gone.jpg', 'x/b.jpg');
    // Where a listing has no types, the runtime asks for each entry, and fails with the first error.
    replaceCall(
      'opendir',
      () => () => Promise.reject(Object.assign(new Error('EACCES'), { code: 'EACCES' })),
    );
    replaceCall('lstat', (real) => (path, ...rest) => {
      const code = /(bad|gone)\.jpg$/.exec(String(path))?.[1] === 'bad' ? 'EACCES' : 'ENOENT';
      return /(bad|gone)\.jpg$/.test(String(path))
        ? Promise.reject(Object.assign(new Error(code), { code }))
        : real(path, ...rest);
    });
    expect(await paths(watched(root).list())).toEqual(['a.jpg', 'bad.jpg', 'x/b.jpg']);
  });

  it('follows no symbolic link, so that a loop is harmless', async () => {
    const root = await temporaryDirectory();
    const elsewhere = await temporaryDirectory();
    await tree(root, 'x/a.jpg');
    await tree(elsewhere, 'secret.jpg');
    await symlink(root, join(root, 'x', 'loop'));
    await symlink(elsewhere, join(root, 'out'));
    await symlink(join(elsewhere, 'secret.jpg'), join(root, 'link.jpg'));
    const folder = watched(root);
    expect(await paths(folder.list())).toEqual(['x/a.jpg']);
    expect((await collect(folder.list())).map(({ links }) => links)).toEqual([2, 1]);
    expect(await paths(folder.list('out'))).toEqual([]);
    expect(await folder.stat('out/secret.jpg')).toBeNull();
    expect(await folder.stat('link.jpg')).toEqual({ kind: 'other' });
    expect(await folder.read('out/secret.jpg', 100)).toEqual({ kind: 'gone' });
    expect(await folder.read('link.jpg', 100)).toEqual({ kind: 'gone' });
    await expect(folder.setAside('out/secret.jpg')).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('skips a FIFO without blocking', async () => {
    const root = await temporaryDirectory();
    await tree(root, 'a.jpg');
    execFileSync('mkfifo', [join(root, 'pipe.jpg')]);
    const folder = watched(root);
    expect(await paths(folder.list())).toEqual(['a.jpg']);
    expect(await folder.stat('pipe.jpg')).toEqual({ kind: 'other' });
    expect(await folder.read('pipe.jpg', 100)).toEqual({ kind: 'gone' });
    await expect(folder.setAside('pipe.jpg')).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('reports names that are not valid UTF-8, but not a genuine U+FFFD', async () => {
    const root = await temporaryDirectory();
    await writeFile(
      Buffer.concat([Buffer.from(`${root}/bad-`), Buffer.from([0xe4]), Buffer.from('.jpg')]),
      '',
    );
    await mkdir(Buffer.concat([Buffer.from(`${root}/dir-`), Buffer.from([0xff])]));
    await tree(root, 'meant-\uFFFD.jpg', 'good.jpg', 'bad-%E4.jpg');
    const batches = await collect(watched(root).list());
    expect(batches).toHaveLength(1);
    expect([...(batches[0]?.badNames ?? [])].sort()).toEqual(['bad-%E4.jpg%', 'dir-%FF']);
    expect(await paths(watched(root).list())).toEqual(['bad-%E4.jpg', 'good.jpg', 'meant-\uFFFD.jpg']);
  });

  it('names the subfolders with images that it does not list', async () => {
    const root = await temporaryDirectory();
    await tree(
      root,
      'a.jpg',
      'full/b.JPEG',
      'other/notes.txt',
      'ignored/c.png',
      'archive/d.jpg',
      '.trash/e.jpg',
      'deep/er/f.jpg',
    );
    const options = { recursive: false, archiveTo: join(root, 'archive'), ignore: ['ignored', '.*'] };
    expect(await watched(root, options).unwatched()).toEqual(['full']);
    expect(await watched(root, { ...options, include: ['*.png'] }).unwatched()).toEqual([]);
    expect(await watched(root, { ...options, recursive: true }).unwatched()).toEqual([]);
  });

  it('reports directories that vanish during the listing', async () => {
    const root = await temporaryDirectory();
    await tree(root, 'a.jpg', 'x/b.jpg');
    const batches: ListedDirectory[] = [];
    for await (const batch of watched(root).list()) {
      if (batch.dir === '') await rm(join(root, 'x'), { recursive: true });
      batches.push(batch);
    }
    expect(batches).toEqual([
      { dir: '', files: [{ path: 'a.jpg' }] },
      { dir: 'x', files: [], unreadableDirs: [{ path: 'x', code: 'ENOENT' }] },
    ]);
    expect(await collect(watched(root).list('x'))).toEqual([batches[1]]);
  });

  it('rejects if the folder itself is missing, a file, or not readable', async () => {
    const root = await temporaryDirectory();
    await tree(root, 'file');
    await mkdir(join(root, 'shut'));
    await ownedDirectory(root, 0o755);
    await ownedDirectory(join(root, 'shut'), 0o000);
    await expect(collect(watched(join(root, 'none')).list())).rejects.toMatchObject({ code: 'ENOENT' });
    await expect(collect(watched(join(root, 'none')).list('x'))).rejects.toMatchObject({ code: 'ENOENT' });
    await expect(collect(watched(join(root, 'file')).list())).rejects.toMatchObject({ code: 'ENOTDIR' });
    await asOrdinaryUser(() =>
      expect(collect(watched(join(root, 'shut')).list())).rejects.toMatchObject({ code: 'EACCES' }),
    );
  });

  it('rejects if the folder is replaced while it is listed', async () => {
    const parent = await temporaryDirectory();
    const root = join(parent, 'scans');
    await tree(root, 'a.jpg', 'x/b.jpg');
    const listing = watched(root).list();
    await expect(
      (async () => {
        for await (const _ of listing) {
          await rename(root, join(parent, 'old')).catch(() => undefined);
          await mkdir(root, { recursive: true });
        }
      })(),
    ).rejects.toMatchObject({ code: 'ESTALE' });
  });

  it('ends on abort', async () => {
    const root = await temporaryDirectory();
    await tree(root, 'x/b.jpg');
    const stop = new AbortController();
    await expect(
      (async () => {
        for await (const _ of watched(root).list('', stop.signal)) stop.abort(new Error('enough'));
      })(),
    ).rejects.toThrow('enough');
  });

  it.each(['../x', '/etc', 'a/../../x', 'a//b', './a', 'a/'])('refuses the path %j', async (path) => {
    const folder = watched(await temporaryDirectory());
    await expect(collect(folder.list(path))).rejects.toThrow(TypeError);
    await expect(folder.stat(path)).rejects.toThrow(TypeError);
    await expect(folder.read(path, 1)).rejects.toThrow(TypeError);
    await expect(folder.setAside(path)).rejects.toThrow(TypeError);
    await expect(folder.discard(`${path}/.receiptd-aside-00000000/x`)).rejects.toThrow(TypeError);
  });
});

describe('availability', () => {
  it('has a new token for a recreated folder, which mostly gets the same inode', async () => {
    const root = join(await temporaryDirectory(), 'scans');
    await mkdir(root);
    const folder = watched(root);
    const first = await folder.availability();
    // Repeated, because the file system's clock ticks slowly.
    await vi.waitFor(async () => {
      await rm(root, { recursive: true });
      await mkdir(root);
      const again = await folder.availability();
      expect(again.state).toBe('present');
      expect(again).not.toEqual(first);
    });
  });

  it('distinguishes a file from a folder', async () => {
    const root = await temporaryDirectory();
    await tree(root, 'file');
    expect(await watched(join(root, 'file')).availability()).toMatchObject({ state: 'notADirectory' });
    expect(await watched(join(root, 'file', 'x')).availability()).toMatchObject({ state: 'missing' });
  });

  it.each([0o000, 0o300, 0o600])('is unreadable with mode %i for an ordinary user', async (mode) => {
    const root = await temporaryDirectory();
    await ownedDirectory(root, mode);
    expect(await asOrdinaryUser(() => watched(root).availability())).toMatchObject({ state: 'unreadable' });
    await chmod(root, 0o700);
  });
});
