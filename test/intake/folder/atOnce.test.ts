import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, chown, mkdir, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { createHashing } from '../../../src/intake/image/hashing.ts';
import { ImageBuffers } from '../../../src/keeper/imageBuffers.ts';
import type { FileRead, ReadBeside } from '../../../src/core/ports/folder.ts';
import { compile } from '../../support/scripts.ts';
import { asOrdinaryUser, ordinaryOwner } from '../../support/ordinaryUser.ts';
import { temporaryDirectory, watched } from './fixture.ts';

/** The result of a read with a digest of its bytes, because comparing megabytes takes seconds. */
const told = (read: FileRead) =>
  read.kind === 'bytes' ? { ...read, bytes: createHash('sha256').update(read.bytes).digest('hex') } : read;

const buffers = new ImageBuffers(() => {});
const take = (size: number): Buffer => buffers.take(size);

/** The same folder, read in this thread and in others. */
async function both(root: string, readBeside?: ReadBeside) {
  const beside = readBeside && { readBeside, allocate: take };
  const atOnce = watched(root, { ownDirectory: root, ...beside });
  expect((await atOnce.availability()).state).toBe('present');
  return [atOnce, watched(root)] as const;
}

describe("a folder on the agent's own disk", () => {
  it('reads every kind of file like any other folder', async () => {
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

  it('reports the same about files read by another thread, and delegates no others', async () => {
    const root = await temporaryDirectory();
    const sizes = { 'photo.jpg': 500_000, 'large.jpg': 3_000_000, 'huge.jpg': 17_000_000, 'a.jpg': 1_000 };
    for (const [name, size] of Object.entries(sizes))
      await writeFile(join(root, name), Buffer.alloc(size, name));
    await mkdir(join(root, 'directory'));
    await writeFile(join(root, 'directory', 'b.jpg'), Buffer.alloc(500_000, 'b'));
    const program = fileURLToPath((await compile('wiring/hashThread.ts')).url);
    const reads: [string, FileRead['kind'] | undefined][] = [];
    const real = createHashing(program, { few: 0 }).readBeside;
    const [atOnce, otherwise] = await both(root, async (file, size, allocate) => {
      const read = await real(file, size, allocate);
      reads.push([file.slice(root.length + 1), read?.kind]);
      return read;
    });
    const limit = 100_000_000;
    for (const path of [...Object.keys(sizes), 'directory/b.jpg']) {
      const found = await otherwise.stat(path);
      const size = found?.kind === 'file' ? found.identity.size : -1;
      expect(told(await atOnce.read(path, limit, { size })), path).toEqual(
        told(await otherwise.read(path, limit)),
      );
      expect(await atOnce.read(path, size - 1, { size }), path).toEqual({ kind: 'tooLarge' });
      expect(await atOnce.read(path, limit), path).toMatchObject({ kind: 'bytes' });
    }
    expect(reads.filter(([, kind]) => kind === 'bytes')).toEqual([
      ['photo.jpg', 'bytes'],
      ['large.jpg', 'bytes'],
    ]);
  });

  it('reports a file that may not be read', async () => {
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
