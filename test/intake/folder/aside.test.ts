import { syncBuiltinESMExports } from 'node:module';
import fs from 'node:fs/promises';
import { existsSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { asOrdinaryUser, ordinaryOwner } from '../../support/ordinaryUser.ts';
import { requirement } from '../../support/requires.ts';
import { filesIn, temporaryDirectory, watched } from './fixture.ts';

async function folderWith(files: Record<string, string>, options: Parameters<typeof watched>[1] = {}) {
  const root = await temporaryDirectory();
  for (const [path, text] of Object.entries(files)) {
    await fs.mkdir(join(root, path, '..'), { recursive: true });
    await fs.writeFile(join(root, path), text);
  }
  return { root, folder: watched(root, options) };
}

/** A file system without hard links (FAT, many shares) answers so. */
function withoutLinks(code = 'EPERM'): void {
  const link = vi.spyOn(fs, 'link').mockRejectedValue(Object.assign(new Error(code), { code }));
  syncBuiltinESMExports();
  onTestFinished(() => {
    link.mockRestore();
    syncBuiltinESMExports();
  });
}

const memory = '/dev/shm';
const otherDevice = requirement(
  'A second file system',
  existsSync(memory) && statSync(memory).dev !== statSync(tmpdir()).dev,
  `${memory} on another device than ${tmpdir()}`,
);

describe('setting a file aside', () => {
  it('keeps its bytes and name, out of every listing', async () => {
    const { root, folder } = await folderWith({ 'x/a.jpg': 'a' });
    const aside = await folder.setAside('x/a.jpg');
    expect(aside).toMatch(/^x\/\.receiptd-aside-[0-9a-f]{8}\/a\.jpg$/);
    expect(await filesIn(root)).toEqual({ [aside]: 'a' });
    expect(folder.covers(aside)).toBe(false);
    expect(await folder.stat('x/a.jpg')).toBeNull();
    expect(await folder.read(aside, 10)).toMatchObject({ kind: 'bytes', bytes: Buffer.from('a') });
  });

  it('picks another directory if the name is taken', async () => {
    const numbers = [0, 0, 0.5];
    const { folder } = await folderWith(
      { 'a.jpg': 'a', 'b.jpg': 'b' },
      { random: () => numbers.shift() ?? 0 },
    );
    expect(await folder.setAside('a.jpg')).toBe('.receiptd-aside-00000000/a.jpg');
    expect(await folder.setAside('b.jpg')).toBe('.receiptd-aside-80000000/b.jpg');
  });

  it('leaves nothing behind if there is no such file', async () => {
    const { root, folder } = await folderWith({});
    await expect(folder.setAside('a.jpg')).rejects.toMatchObject({ code: 'ENOENT' });
    expect(await fs.readdir(root)).toEqual([]);
  });

  it('says so in a folder that may not be written, and leaves the file', async () => {
    const { root, folder } = await folderWith({ 'a.jpg': 'a' });
    const { uid, gid } = ordinaryOwner();
    await fs.chown(root, uid, gid);
    await fs.chmod(root, 0o555);
    await asOrdinaryUser(() => expect(folder.setAside('a.jpg')).rejects.toMatchObject({ code: 'EACCES' }));
    await fs.chmod(root, 0o755);
    expect(await filesIn(root)).toEqual({ 'a.jpg': 'a' });
  });
});

describe.each([
  ['with hard links', () => undefined],
  ['without hard links', withoutLinks],
])('putting back, %s', (_, prepare) => {
  it('restores the file and removes the aside directory', async () => {
    prepare();
    const { root, folder } = await folderWith({ 'x/a.jpg': 'a' });
    await fs.utimes(join(root, 'x/a.jpg'), 1000, 2000);
    const aside = await folder.setAside('x/a.jpg');
    expect(await folder.putBack(aside, 'x/a.jpg')).toBe('x/a.jpg');
    expect(await filesIn(root)).toEqual({ 'x/a.jpg': 'a' });
    expect(await fs.readdir(join(root, 'x'))).toEqual(['a.jpg']);
    expect((await fs.stat(join(root, 'x/a.jpg'))).mtimeMs).toBe(2_000_000);
  });

  it('uses a free name where the old one is taken', async () => {
    prepare();
    const { root, folder } = await folderWith({ 'a.jpg': 'old', 'a (2).jpg': 'two' });
    const aside = await folder.setAside('a.jpg');
    await fs.writeFile(join(root, 'a.jpg'), 'new');
    expect(await folder.putBack(aside, 'a.jpg')).toBe('a (3).jpg');
    expect(await filesIn(root)).toEqual({ 'a.jpg': 'new', 'a (2).jpg': 'two', 'a (3).jpg': 'old' });
  });

  it('overwrites nothing when many race for one name', async () => {
    prepare();
    const { root, folder } = await folderWith({});
    const texts = Array.from({ length: 30 }, (__, i) => `bytes ${i}`);
    const asides: string[] = [];
    for (const text of texts) {
      await fs.writeFile(join(root, 'a.jpg'), text);
      asides.push(await folder.setAside('a.jpg'));
    }
    await fs.writeFile(join(root, 'a.jpg'), 'somebody else');
    const names = await Promise.all(asides.map((aside) => folder.putBack(aside, 'a.jpg')));
    expect(new Set(names).size).toBe(30);
    expect(await filesIn(root)).toEqual({
      'a.jpg': 'somebody else',
      ...Object.fromEntries(names.map((name, i) => [name, texts[i]])),
    });
  });
});

describe.each([
  ['with hard links', () => undefined],
  ['without hard links', withoutLinks],
])('archiving, %s', (_, prepare) => {
  it('keeps the relative directory and leaves nothing in the folder', async () => {
    prepare();
    const { root, folder } = await folderWith({ 'x/y/a.jpg': 'a' });
    const archived = await folder.archive(await folder.setAside('x/y/a.jpg'), 'x/y/a.jpg');
    expect(archived).toBe(join(root, 'archive/x/y/a.jpg'));
    expect(await filesIn(root)).toEqual({ 'archive/x/y/a.jpg': 'a' });
    expect(await fs.readdir(join(root, 'x/y'))).toEqual([]);
  });

  it('overwrites nothing when many race for one name', async () => {
    prepare();
    const { root, folder } = await folderWith({ 'archive/a.jpg': 'old' });
    const texts = Array.from({ length: 30 }, (__, i) => `bytes ${i}`);
    const asides: string[] = [];
    for (const text of texts) {
      await fs.writeFile(join(root, 'a.jpg'), text);
      asides.push(await folder.setAside('a.jpg'));
    }
    const places = await Promise.all(asides.map((aside) => folder.archive(aside, 'a.jpg')));
    expect(await filesIn(root)).toEqual({
      'archive/a.jpg': 'old',
      ...Object.fromEntries(places.map((place, i) => [place.slice(root.length + 1), texts[i]])),
    });
    expect(places).toHaveLength(30);
  });
});

describe('archiving', () => {
  it('does not follow a link among the directories that it makes', async () => {
    const elsewhere = await temporaryDirectory();
    const { root, folder } = await folderWith({ 'x/a.jpg': 'a', 'archive/keep': '' });
    await fs.symlink(elsewhere, join(root, 'archive/x'));
    const aside = await folder.setAside('x/a.jpg');
    await expect(folder.archive(aside, 'x/a.jpg')).rejects.toMatchObject({ code: 'FOLDER_NOT_A_DIRECTORY' });
    expect(await fs.readdir(elsewhere)).toEqual([]);
    expect(await folder.read(aside, 10)).toMatchObject({ kind: 'bytes' });
  });

  it('follows a link that the admin configured', async () => {
    const elsewhere = await temporaryDirectory();
    const { root, folder } = await folderWith({ 'a.jpg': 'a' });
    await fs.symlink(elsewhere, join(root, 'archive'));
    await folder.archive(await folder.setAside('a.jpg'), 'a.jpg');
    expect(await filesIn(elsewhere)).toEqual({ 'a.jpg': 'a' });
  });

  it.skipIf(!otherDevice)('crosses to another file system, overwriting nothing', async () => {
    const archiveTo = await temporaryDirectory(memory);
    const { root, folder } = await folderWith({ 'x/a.jpg': 'a'.repeat(3_000_000) }, { archiveTo });
    await fs.mkdir(join(archiveTo, 'x'));
    await fs.writeFile(join(archiveTo, 'x/a.jpg'), 'old');
    const archived = await folder.archive(await folder.setAside('x/a.jpg'), 'x/a.jpg');
    expect(archived).toBe(join(archiveTo, 'x/a (2).jpg'));
    expect(await filesIn(archiveTo)).toEqual({ 'x/a.jpg': 'old', 'x/a (2).jpg': 'a'.repeat(3_000_000) });
    expect(await filesIn(root)).toEqual({});
  });

  it('keeps the aside file, and no half copy, when the copy fails', async () => {
    withoutLinks('EXDEV');
    const { root, folder } = await folderWith({ 'a.jpg': 'a' });
    const aside = await folder.setAside('a.jpg');
    const probe = await fs.open(join(root, aside));
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the class is not exported
    const prototype = Object.getPrototypeOf(probe) as typeof probe;
    await probe.close();
    const sync = vi
      .spyOn(prototype, 'sync')
      .mockRejectedValue(Object.assign(new Error('full'), { code: 'ENOSPC' }));
    // Making the archive directory syncs too.
    await fs.mkdir(join(root, 'archive'));
    await expect(folder.archive(aside, 'a.jpg')).rejects.toMatchObject({ code: 'ENOSPC' });
    sync.mockRestore();
    expect(await filesIn(root)).toEqual({ [aside]: 'a' });
  });

  it('finishes what a crash cut short between the two names', async () => {
    const { root, folder } = await folderWith({ 'a.jpg': 'a', 'b.jpg': 'b' });
    const [asideA, asideB] = [await folder.setAside('a.jpg'), await folder.setAside('b.jpg')];
    await fs.mkdir(join(root, 'archive'));
    await fs.link(join(root, asideA), join(root, 'archive/a.jpg'));
    await fs.link(join(root, asideB), join(root, 'b.jpg'));
    expect(await folder.archive(asideA, 'a.jpg')).toBe(join(root, 'archive/a.jpg'));
    expect(await folder.putBack(asideB, 'b.jpg')).toBe('b.jpg');
    expect(await filesIn(root)).toEqual({ 'archive/a.jpg': 'a', 'b.jpg': 'b' });
  });
});

describe('discarding', () => {
  it('deletes the aside file and its directory, and is idempotent', async () => {
    const { root, folder } = await folderWith({ 'a.jpg': 'a', 'b.jpg': 'b' });
    const aside = await folder.setAside('a.jpg');
    await folder.discard(aside);
    await folder.discard(aside);
    expect(await fs.readdir(root)).toEqual(['b.jpg']);
  });

  it('refuses any path that was not set aside', async () => {
    const { root, folder } = await folderWith({ 'a.jpg': 'a', 'x/a.jpg': 'a' });
    await expect(folder.discard('a.jpg')).rejects.toThrow(TypeError);
    await expect(folder.discard('x/a.jpg')).rejects.toThrow(TypeError);
    await expect(folder.archive('x/a.jpg', 'x/a.jpg')).rejects.toThrow(TypeError);
    await expect(folder.putBack('x/a.jpg', 'x/a.jpg')).rejects.toThrow(TypeError);
    expect(Object.keys(await filesIn(root))).toHaveLength(2);
  });
});

describe('aside files of an earlier run', () => {
  it('are found in the whole tree, whatever the patterns say, and empty directories removed', async () => {
    const files = { 'a.jpg': 'a', 'x/y/b.jpg': 'b', '.hidden/c.jpg': 'c', 'd.jpg': 'd' };
    const { root, folder } = await folderWith(files);
    const expected = [];
    for (const path of ['a.jpg', 'x/y/b.jpg', '.hidden/c.jpg']) {
      expected.push({ aside: await folder.setAside(path), path });
    }
    await fs.mkdir(join(root, '.receiptd-aside-00000000'));
    const later = watched(root, { recursive: false, ignore: ['.*'] });
    const left = await later.leftAside();
    expect([...left].sort((a, b) => a.path.localeCompare(b.path))).toEqual(
      expected.sort((a, b) => a.path.localeCompare(b.path)),
    );
    expect(await fs.readdir(root)).not.toContain('.receiptd-aside-00000000');
    for (const { aside, path } of left) await later.putBack(aside, path);
    expect(await filesIn(root)).toEqual(files);
    expect(await later.leftAside()).toEqual([]);
  });

  it('are looked for in a folder that is there', async () => {
    await expect(watched('/nonexistent/scans').leftAside()).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
