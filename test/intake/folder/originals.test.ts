import { createHash } from 'node:crypto';
import fs from 'node:fs/promises';
import { join, sep } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { copyExclusively, placeByRename } from '../../../src/intake/folder/placing.ts';
import { asOrdinaryUser, ordinaryOwner } from '../../support/ordinaryUser.ts';
import {
  filesIn,
  folderWith,
  hasOtherDevice,
  LINKS,
  OTHER_DEVICE,
  replaceCall,
  swapBefore,
  temporaryDirectory,
  watched,
  withoutLinks,
} from './fixture.ts';

const otherDevice = hasOtherDevice();
const NO_FOLDER = { code: 'FOLDER_NOT_A_DIRECTORY' };
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** Calls `write` once, after this method of any open file. */
async function after(method: 'stat' | 'sync', file: string, write: () => Promise<void>): Promise<void> {
  const handle = await fs.open(file);
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

describe.each(LINKS)('a file, %s,', (_, prepare) => {
  it('is set aside under a hidden name, and put back as it was', async () => {
    prepare();
    const { root, folder } = await folderWith({ 'x/a.jpg': 'a' });
    await fs.utimes(join(root, 'x/a.jpg'), 1000, 2000);
    const aside = await folder.setAside('x/a.jpg');
    expect(aside).toMatch(/^x\/\.receiptd-aside-[0-9a-f]{8}\/a\.jpg$/);
    expect(await filesIn(root)).toEqual({ [aside]: 'a' });
    expect(folder.covers(aside)).toBe(false);
    expect(await folder.stat('x/a.jpg')).toBeNull();
    expect(await folder.read(aside, 10)).toMatchObject({ kind: 'bytes', bytes: Buffer.from('a') });
    expect(await folder.putBack(aside, 'x/a.jpg')).toBe('x/a.jpg');
    expect(await fs.readdir(join(root, 'x'))).toEqual(['a.jpg']);
    expect((await fs.stat(join(root, 'x/a.jpg'))).mtimeMs).toBe(2_000_000);
  });

  it('overwrites nothing where many race for one name', async () => {
    prepare();
    const { root, folder } = await folderWith({ 'archive/a.jpg': 'old' });
    const expected: Record<string, string> = { 'a.jpg': 'somebody else', 'archive/a.jpg': 'old' };
    const asides: [aside: string, text: string][] = [];
    for (let i = 0; i < 16; i += 1) {
      await fs.writeFile(join(root, 'a.jpg'), `bytes ${i}`);
      asides.push([await folder.setAside('a.jpg'), `bytes ${i}`]);
    }
    await fs.writeFile(join(root, 'a.jpg'), 'somebody else');
    const moves = asides.map(async ([aside, text], i) => {
      const name = i % 2 ? await folder.putBack(aside, 'a.jpg') : await folder.archive(aside, 'a.jpg');
      expected[name.replace(root + sep, '').replaceAll(sep, '/')] = text;
    });
    await Promise.all(moves);
    expect(await filesIn(root)).toEqual(expected);
    expect(Object.keys(expected)).toHaveLength(18);
  });

  it('gets no second copy in an archive that has its bytes under its name', async () => {
    prepare();
    const { root, folder } = await folderWith({ 'a.jpg': 'bytes', 'archive/a.jpg': 'bytes' });
    expect(await folder.archive(await folder.setAside('a.jpg'), 'a.jpg')).toBe(join(root, 'archive/a.jpg'));
    expect(await filesIn(root)).toEqual({ 'archive/a.jpg': 'bytes' });
  });

  it('of another user keeps its owner, or is copied, although we may not link it', async () => {
    prepare();
    const { root, folder } = await folderWith({ 'a.jpg': 'a' });
    const { ino, uid } = await fs.stat(join(root, 'a.jpg'));
    const owner = ordinaryOwner();
    await fs.chown(root, owner.uid, owner.gid);
    await asOrdinaryUser(async () => {
      expect(await folder.putBack(await folder.setAside('a.jpg'), 'a.jpg')).toBe('a.jpg');
    });
    expect(await fs.stat(join(root, 'a.jpg'))).toMatchObject({ ino, uid });
    await asOrdinaryUser(async () => void (await folder.archive(await folder.setAside('a.jpg'), 'a.jpg')));
    expect(await filesIn(root)).toEqual({ 'archive/a.jpg': 'a' });
    expect(await fs.readdir(join(root, 'archive'))).toEqual(['a.jpg']);
  });
});

describe('archiving', () => {
  it('follows a link elsewhere that the admin configured', async () => {
    const elsewhere = await temporaryDirectory();
    const archiveTo = join(await temporaryDirectory(), 'link');
    await fs.symlink(elsewhere, archiveTo);
    const { folder } = await folderWith({ 'a.jpg': 'a' }, { archiveTo });
    await folder.archive(await folder.setAside('a.jpg'), 'a.jpg');
    expect(await filesIn(elsewhere)).toEqual({ 'a.jpg': 'a' });
  });

  it.each([
    ['archive', 'archive'],
    ['y', 'y/archive'],
    ['archive/x', 'archive'],
  ])(
    'follows no link in the watched folder, where anyone who scans may have put it: %s',
    async (link, archiveTo) => {
      const elsewhere = await temporaryDirectory();
      const { root, folder } = await folderWith({ 'x/a.jpg': 'a' }, { archiveTo });
      await fs.mkdir(join(root, link, '..'), { recursive: true });
      await fs.symlink(elsewhere, join(root, link));
      const aside = await folder.setAside('x/a.jpg');
      await expect(folder.archive(aside, 'x/a.jpg')).rejects.toMatchObject(NO_FOLDER);
      expect(await folder.putBack(aside, 'x/a.jpg')).toBe('x/a.jpg');
      expect(await filesIn(elsewhere)).toEqual({});
    },
  );

  it('makes another copy where there is only a link to the same bytes', async () => {
    const { root, folder } = await folderWith({ 'a.jpg': 'bytes', 'archive/keep': '', 'x/b.jpg': 'bytes' });
    await fs.symlink(join(root, 'x/b.jpg'), join(root, 'archive/a.jpg'));
    const archived = await folder.archive(await folder.setAside('a.jpg'), 'a.jpg');
    expect(archived).toBe(join(root, 'archive/a (2).jpg'));
  });

  it('completes a move that a crash interrupted between the two names, and so does putting back', async () => {
    const { root, folder } = await folderWith({ 'a.jpg': 'a', 'b.jpg': 'b' });
    const [asideA, asideB] = [await folder.setAside('a.jpg'), await folder.setAside('b.jpg')];
    await fs.mkdir(join(root, 'archive'));
    await fs.link(join(root, asideA), join(root, 'archive/a.jpg'));
    await fs.link(join(root, asideB), join(root, 'b.jpg'));
    expect(await folder.archive(asideA, 'a.jpg')).toBe(join(root, 'archive/a.jpg'));
    expect(await folder.putBack(asideB, 'b.jpg')).toBe('b.jpg');
    expect(await filesIn(root)).toEqual({ 'archive/a.jpg': 'a', 'b.jpg': 'b' });
  });

  it('keeps the aside file and no partial copy if the copy fails', async () => {
    withoutLinks('EXDEV');
    const { root, folder } = await folderWith({ 'a.jpg': 'a', 'archive/keep': '' });
    const aside = await folder.setAside('a.jpg');
    await after('sync', join(root, aside), () =>
      Promise.reject(Object.assign(new Error(), { code: 'ENOSPC' })),
    );
    await expect(folder.archive(aside, 'a.jpg')).rejects.toMatchObject({ code: 'ENOSPC' });
    expect(await filesIn(root)).toEqual({ [aside]: 'a', 'archive/keep': '' });
    expect(await fs.readdir(join(root, 'archive'))).toEqual(['keep']);
  });

  it('names the file in an error by its visible path', async () => {
    const { root, folder } = await folderWith({ 'x/a.jpg': 'a' });
    replaceCall('link', () => async (from, to) => {
      throw Object.assign(new Error(`EIO: link '${String(from)}' -> '${String(to)}'`), { code: 'EIO' });
    });
    const aside = await folder.setAside('x/a.jpg');
    const message = `EIO: link '${root}/${aside}' -> '${root}/archive/x/a.jpg'`;
    await expect(folder.archive(aside, 'x/a.jpg')).rejects.toThrow(message);
    await fs.rm(join(root, 'x'), { recursive: true });
    await fs.writeFile(join(root, 'x'), 'a file');
    await expect(folder.putBack(aside, 'x/a.jpg')).rejects.toThrow(`'${join(root, 'x')}'`);
  });
});

describe('finding an archived file', () => {
  it('compares name, size and hash, and considers only regular files', async () => {
    const files = { 'x/a.jpg': 'other', 'x/a (2).jpg': 'bytes', 'x/a (3).jpg': 'bytes', 'x/b.jpg': 'bytes' };
    const { root } = await folderWith(files);
    await fs.symlink('b.jpg', join(root, 'x/d.jpg'));
    await fs.symlink('x', join(root, 'z'));
    const folder = watched('/nonexistent', { archiveTo: root });
    expect(await folder.findArchived('x/a.jpg', 5, sha256('bytes'))).toBe(join(root, 'x/a (2).jpg'));
    for (const path of ['x/c.jpg', 'y/a.jpg', 'x/d.jpg', 'z/b.jpg'])
      expect(await folder.findArchived(path, 5, sha256('bytes'))).toBeNull();
    await expect(watched('/nonexistent').findArchived('a.jpg', 5, '')).rejects.toMatchObject({
      code: 'ENOENT',
    });
  });

  it('knows every name that archiving chooses', async () => {
    const { root, folder } = await folderWith({});
    for (const name of [`${'ä'.repeat(125)}.jpg`, 'a', 'b.tar.gz', '.hidden', 'a (2).jpg']) {
      for (let n = 0; n < 3; n += 1) {
        const text = `${name} ${n}`;
        await fs.writeFile(join(root, name), text);
        const archived = await folder.archive(await folder.setAside(name), name);
        expect(await folder.findArchived(name, Buffer.byteLength(text), sha256(text))).toBe(archived);
      }
    }
  });
});

describe.skipIf(!otherDevice)('an archive on another file system', () => {
  const place = async (text: string) => {
    const archiveTo = await temporaryDirectory(OTHER_DEVICE);
    return { archiveTo, ...(await folderWith({ 'a.jpg': text }, { archiveTo })) };
  };
  /** A copy truncated by a kill. */
  const cutShort = async () => {
    const { archiveTo, root, folder } = await place('bytes');
    const aside = await folder.setAside('a.jpg');
    const incoming = join(archiveTo, aside.split('/')[0]?.replace('aside', 'incoming') ?? '');
    await fs.mkdir(incoming);
    await fs.writeFile(join(incoming, 'copy'), 'byt');
    return { archiveTo, root, folder, aside, incoming };
  };

  it.each(LINKS)('overwrites nothing, and keeps no copy of ours, %s', async (_, prepare) => {
    if (prepare === withoutLinks)
      replaceCall('link', (real) => async (from, to) => {
        await real(from, to);
        await fs.unlink(String(to));
        throw Object.assign(new Error(), { code: 'EPERM' });
      });
    const { archiveTo, root, folder } = await place('a'.repeat(3_000_000));
    await fs.writeFile(join(archiveTo, 'a.jpg'), 'old');
    const archived = await folder.archive(await folder.setAside('a.jpg'), 'a.jpg');
    expect(archived).toBe(join(archiveTo, 'a (2).jpg'));
    expect(await filesIn(archiveTo)).toEqual({ 'a.jpg': 'old', 'a (2).jpg': 'a'.repeat(3_000_000) });
    expect([await fs.readdir(root), (await fs.readdir(archiveTo)).length]).toEqual([[], 2]);
  });

  it('loses an unfinished copy when its file is put back, which an archive that is away does not prevent', async () => {
    const { archiveTo, folder, aside } = await cutShort();
    expect(await folder.putBack(aside, 'a.jpg')).toBe('a.jpg');
    expect(await fs.readdir(archiveTo)).toEqual([]);
    const again = await cutShort();
    await fs.rm(again.archiveTo, { recursive: true });
    expect(await again.folder.putBack(again.aside, 'a.jpg')).toBe('a.jpg');
  });

  it('loses an old unfinished copy with the next one, but none that may be another agent’s', async () => {
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
    for (const path of ['a.jpg', 'x/a.jpg']) {
      await expect(folder.discard(path)).rejects.toThrow(TypeError);
      await expect(folder.archive(path, path)).rejects.toThrow(TypeError);
      await expect(folder.putBack(path, path)).rejects.toThrow(TypeError);
    }
    expect(Object.keys(await filesIn(root))).toHaveLength(2);
  });
});

describe('aside files of an earlier run', () => {
  it('are found in the whole tree regardless of patterns, and empty directories are removed', async () => {
    const files = { 'a.jpg': 'a', 'x/y/b.jpg': 'b', '.hidden/c.jpg': 'c', 'd.jpg': 'd' };
    const { root, folder } = await folderWith(files);
    const expected: Record<string, string> = {};
    for (const path of ['a.jpg', 'x/y/b.jpg', '.hidden/c.jpg']) expected[await folder.setAside(path)] = path;
    await fs.mkdir(join(root, '.receiptd-aside-00000000'));
    const later = watched(root, { recursive: false, ignore: ['.*'] });
    const left = await later.leftAside();
    expect(Object.fromEntries(left.map(({ aside, path }) => [aside, path]))).toEqual(expected);
    expect(await fs.readdir(root)).not.toContain('.receiptd-aside-00000000');
    for (const { aside, path } of left) await later.putBack(aside, path);
    expect(await filesIn(root)).toEqual(files);
    await expect(watched('/nonexistent/scans').leftAside()).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

describe('a directory that is replaced by a link between check and move', () => {
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

describe('a write in the middle of a move', () => {
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
