import fs from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { putBack } from '../../../src/intake/folder/aside.ts';
import { asOrdinaryUser, ordinaryOwner } from '../../support/ordinaryUser.ts';
import { filesIn, folderWith, LINKS, watched } from './fixture.ts';

describe('setting a file aside', () => {
  it('keeps its bytes and name, and hides it from listings', async () => {
    const { root, folder } = await folderWith({ 'x/a.jpg': 'a' });
    const aside = await folder.setAside('x/a.jpg');
    expect(aside).toMatch(/^x\/\.receiptd-aside-[0-9a-f]{8}\/a\.jpg$/);
    expect(await filesIn(root)).toEqual({ [aside]: 'a' });
    expect(folder.covers(aside)).toBe(false);
    expect(await folder.stat('x/a.jpg')).toBeNull();
    expect(await folder.read(aside, 10)).toMatchObject({ kind: 'bytes', bytes: Buffer.from('a') });
  });

  it('names the obstacle if a directory on the path has become a file', async () => {
    const { root, folder } = await folderWith({ 'x/y/z/a.jpg': 'a' });
    await fs.rm(join(root, 'x/y'), { recursive: true });
    await fs.writeFile(join(root, 'x/y'), 'a file');
    await expect(
      putBack(root, 'x/y/.receiptd-aside-00000000/a.jpg', 'x/y/a.jpg', Math.random),
    ).rejects.toThrow(`'${join(root, 'x/y')}'`);
    expect(await folder.stat('x/y/z/a.jpg')).toBeNull();
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

  it('leaves nothing behind if the file does not exist', async () => {
    const { root, folder } = await folderWith({});
    await expect(folder.setAside('a.jpg')).rejects.toMatchObject({ code: 'ENOENT' });
    expect(await fs.readdir(root)).toEqual([]);
  });

  it('rejects in a folder that may not be written, and leaves the file', async () => {
    const { root, folder } = await folderWith({ 'a.jpg': 'a' });
    const { uid, gid } = ordinaryOwner();
    await fs.chown(root, uid, gid);
    await fs.chmod(root, 0o555);
    await asOrdinaryUser(() => expect(folder.setAside('a.jpg')).rejects.toMatchObject({ code: 'EACCES' }));
    await fs.chmod(root, 0o755);
    expect(await filesIn(root)).toEqual({ 'a.jpg': 'a' });
  });
});

describe.each(LINKS)('putting back, %s', (_, prepare) => {
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

  it('uses a free name if the old one is taken', async () => {
    prepare();
    const { root, folder } = await folderWith({ 'a.jpg': 'old', 'a (2).jpg': 'two' });
    const aside = await folder.setAside('a.jpg');
    await fs.writeFile(join(root, 'a.jpg'), 'new');
    expect(await folder.putBack(aside, 'a.jpg')).toBe('a (3).jpg');
    expect(await filesIn(root)).toEqual({ 'a.jpg': 'new', 'a (2).jpg': 'two', 'a (3).jpg': 'old' });
  });

  it('overwrites nothing if many race for one name', async () => {
    prepare();
    const { root, folder } = await folderWith({});
    const texts = Array.from({ length: 12 }, (__, i) => `bytes ${i}`);
    const asides: string[] = [];
    for (const text of texts) {
      await fs.writeFile(join(root, 'a.jpg'), text);
      asides.push(await folder.setAside('a.jpg'));
    }
    await fs.writeFile(join(root, 'a.jpg'), 'somebody else');
    const names = await Promise.all(asides.map((aside) => folder.putBack(aside, 'a.jpg')));
    expect(new Set(names).size).toBe(12);
    expect(await filesIn(root)).toEqual({
      'a.jpg': 'somebody else',
      ...Object.fromEntries(names.map((name, i) => [name, texts[i]])),
    });
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
  it('are found in the whole tree regardless of patterns, and empty directories are removed', async () => {
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

  it('are only looked for in an existing folder', async () => {
    await expect(watched('/nonexistent/scans').leftAside()).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
