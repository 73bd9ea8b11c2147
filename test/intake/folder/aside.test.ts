import { createHash } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import fs from 'node:fs/promises';
import { existsSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { asOrdinaryUser, ordinaryOwner } from '../../support/ordinaryUser.ts';
import { requirement } from '../../support/requires.ts';
import { putBack } from '../../../src/intake/folder/aside.ts';
import { copyExclusively } from '../../../src/intake/folder/exclusiveCopy.ts';
import { placeByRename } from '../../../src/intake/folder/placeExclusively.ts';
import { findArchived } from '../../../src/intake/folder/findArchived.ts';
import { filesIn, temporaryDirectory, watched } from './fixture.ts';

async function folderWith(files: Record<string, string>, options: Parameters<typeof watched>[1] = {}) {
  const root = await temporaryDirectory();
  for (const [path, text] of Object.entries(files)) {
    await fs.mkdir(join(root, path, '..'), { recursive: true });
    await fs.writeFile(join(root, path), text);
  }
  return { root, folder: watched(root, options) };
}

/** The answer of a file system without hard links (FAT, many shares). */
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

  it('overwrites nothing if many race for one name', async () => {
    prepare();
    const { root, folder } = await folderWith({ 'archive/a.jpg': 'old' });
    const texts = Array.from({ length: 12 }, (__, i) => `bytes ${i}`);
    const asides: string[] = [];
    for (const text of texts) {
      await fs.writeFile(join(root, 'a.jpg'), text);
      asides.push(await folder.setAside('a.jpg'));
    }
    const places = await Promise.all(asides.map((aside) => folder.archive(aside, 'a.jpg')));
    expect(await filesIn(root)).toEqual({
      'archive/a.jpg': 'old',
      ...Object.fromEntries(
        places.map((place, i) => [place.slice(root.length + 1).replaceAll(sep, '/'), texts[i]]),
      ),
    });
    expect(places).toHaveLength(12);
  });
});

describe('archiving', () => {
  it('does not follow a link among the directories that it creates', async () => {
    const elsewhere = await temporaryDirectory();
    const { root, folder } = await folderWith({ 'x/a.jpg': 'a', 'archive/keep': '' });
    await fs.symlink(elsewhere, join(root, 'archive/x'));
    const aside = await folder.setAside('x/a.jpg');
    await expect(folder.archive(aside, 'x/a.jpg')).rejects.toMatchObject({ code: 'FOLDER_NOT_A_DIRECTORY' });
    expect(await fs.readdir(elsewhere)).toEqual([]);
    expect(await folder.read(aside, 10)).toMatchObject({ kind: 'bytes' });
  });

  it('follows a link elsewhere that the admin configured', async () => {
    const elsewhere = await temporaryDirectory();
    const archiveTo = join(await temporaryDirectory(), 'link');
    await fs.symlink(elsewhere, archiveTo);
    const { folder } = await folderWith({ 'a.jpg': 'a' }, { archiveTo });
    await folder.archive(await folder.setAside('a.jpg'), 'a.jpg');
    expect(await filesIn(elsewhere)).toEqual({ 'a.jpg': 'a' });
  });

  it('follows no link in the watched folder, where anyone who scans may have put it', async () => {
    const elsewhere = await temporaryDirectory();
    for (const [link, archiveTo] of [
      ['archive', 'archive'],
      ['y', 'y/archive'],
    ] as const) {
      const { root, folder } = await folderWith({ 'a.jpg': 'a' }, { archiveTo });
      await fs.symlink(elsewhere, join(root, link));
      const aside = await folder.setAside('a.jpg');
      await expect(folder.archive(aside, 'a.jpg')).rejects.toMatchObject({ code: 'FOLDER_NOT_A_DIRECTORY' });
      await expect(folder.findArchived('a.jpg', 1, '')).rejects.toMatchObject({ code: 'ENOTDIR' });
      expect(await folder.putBack(aside, 'a.jpg')).toBe('a.jpg');
    }
    expect(await filesIn(elsewhere)).toEqual({});
  });

  it.skipIf(!otherDevice)('moves to another file system and overwrites nothing', async () => {
    const archiveTo = await temporaryDirectory(memory);
    const { root, folder } = await folderWith({ 'x/a.jpg': 'a'.repeat(3_000_000) }, { archiveTo });
    await fs.mkdir(join(archiveTo, 'x'));
    await fs.writeFile(join(archiveTo, 'x/a.jpg'), 'old');
    const archived = await folder.archive(await folder.setAside('x/a.jpg'), 'x/a.jpg');
    expect(archived).toBe(join(archiveTo, 'x/a (2).jpg'));
    expect(await filesIn(archiveTo)).toEqual({ 'x/a.jpg': 'old', 'x/a (2).jpg': 'a'.repeat(3_000_000) });
    expect(await filesIn(root)).toEqual({});
  });

  it('keeps the aside file and no partial copy if the copy fails', async () => {
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
    // Creating the archive directory syncs too.
    await fs.mkdir(join(root, 'archive'));
    await expect(folder.archive(aside, 'a.jpg')).rejects.toMatchObject({ code: 'ENOSPC' });
    sync.mockRestore();
    expect(await filesIn(root)).toEqual({ [aside]: 'a' });
  });

  it('completes a move that a crash interrupted between the two names', async () => {
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

describe('an archive that already has the same bytes under that name', () => {
  it.each([
    ['with hard links', () => undefined],
    ['without hard links', withoutLinks],
  ])('gets no second copy, %s', async (_, prepare) => {
    prepare();
    const { root, folder } = await folderWith({ 'a.jpg': 'bytes', 'archive/a.jpg': 'bytes' });
    expect(await folder.archive(await folder.setAside('a.jpg'), 'a.jpg')).toBe(join(root, 'archive/a.jpg'));
    expect(await filesIn(root)).toEqual({ 'archive/a.jpg': 'bytes' });
  });

  it('gets another copy if it only has a link to them', async () => {
    const elsewhere = await temporaryDirectory();
    const { root, folder } = await folderWith({ 'a.jpg': 'bytes', 'archive/keep': '' });
    await fs.writeFile(join(elsewhere, 'a.jpg'), 'bytes');
    await fs.symlink(join(elsewhere, 'a.jpg'), join(root, 'archive/a.jpg'));
    const archived = await folder.archive(await folder.setAside('a.jpg'), 'a.jpg');
    expect(archived).toBe(join(root, 'archive/a (2).jpg'));
    expect(await fs.readFile(archived, 'utf8')).toBe('bytes');
  });
});

describe('finding an archived file', () => {
  const sha256 = createHash('sha256').update('bytes').digest('hex');

  it('compares name, size and hash, and considers only regular files', async () => {
    const files = { 'x/a.jpg': 'other', 'x/a (2).jpg': 'bytes', 'x/a (3).jpg': 'bytes', 'x/b.jpg': 'bytes' };
    const { root } = await folderWith(files);
    expect(await findArchived(root, 'x/a.jpg', 5, sha256)).toBe(join(root, 'x/a (2).jpg'));
    expect(await findArchived(root, 'x/c.jpg', 5, sha256)).toBeNull();
    expect(await findArchived(root, 'y/a.jpg', 5, sha256)).toBeNull();
    await fs.symlink('b.jpg', join(root, 'x/d.jpg'));
    await fs.symlink('x', join(root, 'y'));
    expect(await findArchived(root, 'x/d.jpg', 5, sha256)).toBeNull();
    expect(await findArchived(root, 'y/b.jpg', 5, sha256)).toBeNull();
  });

  it('knows every name that archiving chooses', async () => {
    const long = `${'ä'.repeat(125)}.jpg`;
    const { root, folder } = await folderWith({});
    for (const name of [long, 'a', 'b.tar.gz', '.hidden', 'a (2).jpg']) {
      for (let n = 0; n < 3; n += 1) {
        const text = `${name} ${n}`;
        await fs.writeFile(join(root, name), text);
        const archived = await folder.archive(await folder.setAside(name), name);
        const hash = createHash('sha256').update(text).digest('hex');
        const size = Buffer.byteLength(text);
        expect(await findArchived(join(root, 'archive'), name, size, hash)).toBe(archived);
      }
    }
  });

  it('rejects if the archive is unavailable', async () => {
    await expect(findArchived('/nonexistent/archive', 'a.jpg', 5, sha256)).rejects.toMatchObject({
      code: 'ENOENT',
    });
  });
});

describe.skipIf(!otherDevice)('a copy truncated by a kill', () => {
  async function cutShort() {
    const archiveTo = await temporaryDirectory(memory);
    const { root, folder } = await folderWith({ 'a.jpg': 'bytes' }, { archiveTo });
    const aside = await folder.setAside('a.jpg');
    const incoming = join(archiveTo, aside.split('/')[0]?.replace('aside', 'incoming') ?? '');
    await fs.mkdir(incoming);
    await fs.writeFile(join(incoming, 'copy'), 'byt');
    return { archiveTo, root, folder, aside, incoming };
  }

  it('is removed when its file is put back', async () => {
    const { archiveTo, root, aside } = await cutShort();
    expect(await putBack(root, aside, 'a.jpg', Math.random, archiveTo)).toBe('a.jpg');
    expect(await fs.readdir(archiveTo)).toEqual([]);
  });

  it('does not prevent putting its file back if the archive is unavailable', async () => {
    const { archiveTo, root, aside } = await cutShort();
    await fs.rename(archiveTo, `${archiveTo}-away`);
    onTestFinished(() => fs.rm(`${archiveTo}-away`, { recursive: true }));
    expect(await putBack(root, aside, 'a.jpg', Math.random, archiveTo)).toBe('a.jpg');
  });

  it('is removed by the next copy into that directory if old, and stays if it may be another agent’s', async () => {
    const { archiveTo, folder, aside, incoming } = await cutShort();
    const recent = join(archiveTo, '.receiptd-incoming-00000000');
    await fs.mkdir(recent);
    await fs.writeFile(join(recent, 'copy'), 'byt');
    await folder.putBack(aside, 'a.jpg');
    await fs.mkdir(incoming, { recursive: true });
    const twoDaysAgo = Date.now() / 1000 - 2 * 86_400;
    await fs.utimes(incoming, twoDaysAgo, twoDaysAgo);
    await folder.archive(await folder.setAside('a.jpg'), 'a.jpg');
    expect((await fs.readdir(archiveTo)).toSorted()).toEqual(['.receiptd-incoming-00000000', 'a.jpg']);
  });
});

describe('a directory that is replaced by a link between check and move', () => {
  /** Right before the next such call, moves `directory` away and puts a link to `elsewhere` in its place. */
  function swapBefore(call: 'mkdir' | 'link' | 'unlink', directory: string, elsewhere: string): void {
    const { [call]: real, rename, symlink } = fs;
    let swapped = false;
    const spy = vi.spyOn(fs, call).mockImplementation(async (...args: unknown[]) => {
      if (!swapped) {
        swapped = true;
        await rename(directory, `${directory}.moved`);
        await symlink(elsewhere, directory);
      }
      return Reflect.apply(real, fs, args);
    });
    syncBuiltinESMExports();
    onTestFinished(() => {
      spy.mockRestore();
      syncBuiltinESMExports();
    });
  }

  it('does not divert the move out of the folder', async () => {
    const elsewhere = await temporaryDirectory();
    await fs.writeFile(join(elsewhere, 'a.jpg'), 'not ours');
    const { root, folder } = await folderWith({ 'x/a.jpg': 'a' });
    swapBefore('mkdir', join(root, 'x'), elsewhere);
    await folder.setAside('x/a.jpg');
    expect(await filesIn(elsewhere)).toEqual({ 'a.jpg': 'not ours' });
    const [left] = await folder.leftAside();
    expect(await folder.putBack(left?.aside ?? '', left?.path ?? '')).toBe('x.moved/a.jpg');
  });

  it('does not divert the move out of the archive', async () => {
    const elsewhere = await temporaryDirectory();
    const { root, folder } = await folderWith({ 'x/a.jpg': 'a', 'archive/x/keep': '' });
    const aside = await folder.setAside('x/a.jpg');
    swapBefore('link', join(root, 'archive/x'), elsewhere);
    await folder.archive(aside, 'x/a.jpg');
    expect(await filesIn(elsewhere)).toEqual({});
    expect(await filesIn(root)).toEqual({ 'archive/x.moved/a.jpg': 'a', 'archive/x.moved/keep': '' });
  });

  it('does not cause a deletion elsewhere', async () => {
    const elsewhere = await temporaryDirectory();
    const { root, folder } = await folderWith({ 'x/a.jpg': 'a' });
    const aside = await folder.setAside('x/a.jpg');
    const there = join(elsewhere, aside.slice('x/'.length));
    await fs.mkdir(join(there, '..'));
    await fs.writeFile(there, 'not ours');
    swapBefore('unlink', join(root, 'x'), elsewhere);
    await folder.discard(aside);
    expect(await fs.readFile(there, 'utf8')).toBe('not ours');
  });
});

describe('a file of another user', () => {
  it('is put back as the same file, although we may not link it', async () => {
    const { root, folder } = await folderWith({ 'a.jpg': 'a' });
    const before = await fs.stat(join(root, 'a.jpg'));
    const { uid, gid } = ordinaryOwner();
    await fs.chown(root, uid, gid);
    await asOrdinaryUser(async () => {
      const aside = await folder.setAside('a.jpg');
      expect(await folder.putBack(aside, 'a.jpg')).toBe('a.jpg');
    });
    const { ino, uid: owner } = await fs.stat(join(root, 'a.jpg'));
    expect({ ino, owner }).toEqual({ ino: before.ino, owner: before.uid });
    expect(await fs.readdir(root)).toEqual(['a.jpg']);
    await asOrdinaryUser(async () => {
      const archived = await folder.archive(await folder.setAside('a.jpg'), 'a.jpg');
      expect(archived).toBe(join(root, 'archive/a.jpg'));
    });
    expect(await filesIn(root)).toEqual({ 'archive/a.jpg': 'a' });
    expect(await fs.readdir(join(root, 'archive'))).toEqual(['a.jpg']);
  });
});

describe('a reported error', () => {
  it('names the file by its visible path', async () => {
    const { root, folder } = await folderWith({ 'x/a.jpg': 'a' });
    const link = vi.spyOn(fs, 'link').mockImplementation(async (from, to) => {
      throw Object.assign(new Error(`EIO: i/o error, link '${String(from)}' -> '${String(to)}'`), {
        code: 'EIO',
      });
    });
    syncBuiltinESMExports();
    onTestFinished(() => {
      link.mockRestore();
      syncBuiltinESMExports();
    });
    const aside = await folder.setAside('x/a.jpg');
    const message = `EIO: i/o error, link '${root}/${aside}' -> '${root}/archive/x/a.jpg'`;
    await expect(folder.archive(aside, 'x/a.jpg')).rejects.toThrow(message);
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

describe('a write in the middle of a move', () => {
  /** Calls `write` after the next call of this method on any open file. */
  async function after(method: 'stat' | 'sync', file: string, write: () => Promise<void>): Promise<void> {
    const handle = await fs.open(file);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    const prototype = Object.getPrototypeOf(handle) as Record<
      typeof method,
      (how?: object) => Promise<unknown>
    >;
    await handle.close();
    const real = prototype[method];
    const spy = vi.spyOn(prototype, method).mockImplementationOnce(async function (this: unknown, how) {
      const done = await real.call(this, how);
      await write();
      return done;
    });
    onTestFinished(() => spy.mockRestore());
  }

  it('into the file being copied rejects the copy', async () => {
    const { root } = await folderWith({ 'a.jpg': 'a' });
    const [source, target] = [join(root, 'a.jpg'), join(root, 'copy.jpg')];
    await after('sync', source, () => fs.appendFile(source, 'nd more'));
    await expect(copyExclusively(source, target)).rejects.toMatchObject({ code: 'EBUSY' });
    expect(await filesIn(root)).toEqual({ 'a.jpg': 'and more' });
  });

  it('to the target name is preserved', async () => {
    const { root } = await folderWith({ 'a.jpg': 'a' });
    const [source, target] = [join(root, 'a.jpg'), join(root, 'b.jpg')];
    await after('stat', source, () => fs.writeFile(target, 'theirs'));
    expect(await placeByRename(source, target)).toBe(false);
    expect(await filesIn(root)).toEqual({ 'a.jpg': 'a', 'b.jpg': 'theirs' });
  });
});
