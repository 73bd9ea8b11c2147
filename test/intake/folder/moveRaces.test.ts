import fs from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { copyExclusively } from '../../../src/intake/folder/exclusiveCopy.ts';
import { placeByRename } from '../../../src/intake/folder/placeExclusively.ts';
import { filesIn, folderWith, swapBefore, temporaryDirectory } from './fixture.ts';

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
