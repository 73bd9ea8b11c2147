import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, chown, mkdir, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { FileRead } from '../../../src/ports/folder.ts';
import { asOrdinaryUser, ordinaryOwner } from '../../support/ordinaryUser.ts';
import { temporaryDirectory, watched } from './fixture.ts';

/** What was read, with a digest for its bytes: comparing megabytes one by one takes seconds. */
const told = (read: FileRead) =>
  read.kind === 'bytes' ? { ...read, bytes: createHash('sha256').update(read.bytes).digest('hex') } : read;

/** The same folder, looked at in this thread and in others. */
async function both(root: string) {
  const atOnce = watched(root, { ownDirectory: root });
  expect((await atOnce.availability()).state).toBe('present');
  return [atOnce, watched(root)] as const;
}

describe("a folder on the agent's own disk", () => {
  it('says of every kind of file what any other folder says', async () => {
    const root = await temporaryDirectory();
    await writeFile(join(root, 'a.jpg'), 'the text of a scan');
    await writeFile(join(root, 'empty.jpg'), '');
    await writeFile(join(root, 'large.jpg'), Buffer.alloc(3_000_000, 'x'));
    await truncate(join(root, 'a.jpg'), 9);
    await mkdir(join(root, 'directory'));
    await writeFile(join(root, 'directory', 'b.jpg'), 'below');
    await symlink('a.jpg', join(root, 'link.jpg'));
    execFileSync('mkfifo', [join(root, 'pipe.jpg')]);
    const [atOnce, otherwise] = await both(root);
    const paths = [
      'a.jpg',
      'empty.jpg',
      'large.jpg',
      'directory',
      'directory/b.jpg',
      'link.jpg',
      'pipe.jpg',
      'none.jpg',
    ];
    for (const path of paths) {
      expect(await atOnce.stat(path), path).toEqual(await otherwise.stat(path));
      const read = await atOnce.read(path, 10_000_000);
      expect(told(read), path).toEqual(told(await otherwise.read(path, 10_000_000)));
      expect(await atOnce.read(path, 5), path).toEqual(await otherwise.read(path, 5));
    }
  });

  it('tells a file that may not be read', async () => {
    const root = await temporaryDirectory();
    const { uid, gid } = ordinaryOwner();
    await chmod(root, 0o755);
    await writeFile(join(root, 'shut.jpg'), 'x');
    await chown(join(root, 'shut.jpg'), uid, gid);
    await chmod(join(root, 'shut.jpg'), 0);
    const [atOnce] = await both(root);
    const read = await asOrdinaryUser(() => atOnce.read('shut.jpg', 100));
    expect(read).toEqual({ kind: 'unreadable', code: 'EACCES' });
  });
});
