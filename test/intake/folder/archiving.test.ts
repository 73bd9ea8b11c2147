import { createHash } from 'node:crypto';
import fs from 'node:fs/promises';
import { join, sep } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { putBack } from '../../../src/intake/folder/aside.ts';
import { findArchived } from '../../../src/intake/folder/findArchived.ts';
import { asOrdinaryUser, ordinaryOwner } from '../../support/ordinaryUser.ts';
import {
  filesIn,
  folderWith,
  hasOtherDevice,
  LINKS,
  MEMORY,
  replaceCall,
  temporaryDirectory,
  withoutLinks,
} from './fixture.ts';

const otherDevice = hasOtherDevice();

describe.each(LINKS)('archiving, %s', (_, prepare) => {
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
    const archiveTo = await temporaryDirectory(MEMORY);
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
  it.each(LINKS)('gets no second copy, %s', async (_, prepare) => {
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
    const archiveTo = await temporaryDirectory(MEMORY);
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
    replaceCall('link', () => async (from, to) => {
      throw Object.assign(new Error(`EIO: i/o error, link '${String(from)}' -> '${String(to)}'`), {
        code: 'EIO',
      });
    });
    const aside = await folder.setAside('x/a.jpg');
    const message = `EIO: i/o error, link '${root}/${aside}' -> '${root}/archive/x/a.jpg'`;
    await expect(folder.archive(aside, 'x/a.jpg')).rejects.toThrow(message);
  });
});
