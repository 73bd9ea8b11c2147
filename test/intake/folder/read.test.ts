import { appendFileSync, truncateSync, writeFileSync } from 'node:fs';
import { chmod, chown, mkdir, readdir, rename, truncate, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { asOrdinaryUser, ordinaryOwner } from '../../support/ordinaryUser.ts';
import { filesIn, temporaryDirectory, watched } from './fixture.ts';

const LIMIT = 64 * 1024 * 1024;

/** Runs `change` once, after the read has checked the file's size. */
function whileReading(change: () => void): AbortSignal {
  const { signal } = new AbortController();
  vi.spyOn(signal, 'throwIfAborted').mockImplementationOnce(change);
  return signal;
}

describe('reading a file', () => {
  it('returns its bytes and the same identity as stat', async () => {
    const root = await temporaryDirectory();
    const bytes = Buffer.alloc(20_000_000, 'receipt ');
    await writeFile(join(root, 'a.jpg'), bytes);
    await writeFile(join(root, 'empty.jpg'), '');
    const folder = watched(root);
    const read = await folder.read('a.jpg', LIMIT);
    const stat = await folder.stat('a.jpg');
    expect(read.kind === 'bytes' && read.bytes.equals(bytes)).toBe(true);
    expect(stat).toEqual({ kind: 'file', identity: read.kind === 'bytes' && read.identity });
    expect(await folder.read('empty.jpg', LIMIT)).toMatchObject({ kind: 'bytes', bytes: Buffer.alloc(0) });
  });

  it.each<[string, (file: string) => void]>([
    ['grows', (file) => appendFileSync(file, 'more')],
    ['shrinks', (file) => truncateSync(file, 10)],
    ['is overwritten with as many bytes', (file) => writeFileSync(file, Buffer.alloc(1000, 'b'))],
  ])('notices if it %s meanwhile', async (_, change) => {
    const root = await temporaryDirectory();
    const file = join(root, 'a.jpg');
    await writeFile(file, Buffer.alloc(1000, 'a'));
    await utimes(file, 1, 1);
    const signal = whileReading(() => change(file));
    expect(await watched(root).read('a.jpg', LIMIT, { signal })).toEqual({ kind: 'changed' });
  });

  it('refuses a file over the limit without reading it', async () => {
    const root = await temporaryDirectory();
    await writeFile(join(root, 'a.jpg'), '');
    await truncate(join(root, 'a.jpg'), 300_000_000_000);
    expect(await watched(root).read('a.jpg', LIMIT)).toEqual({ kind: 'tooLarge' });
    await truncate(join(root, 'a.jpg'), 5);
    expect(await watched(root).read('a.jpg', 5)).toMatchObject({ kind: 'bytes' });
    expect(await watched(root).read('a.jpg', 4)).toEqual({ kind: 'tooLarge' });
  });

  it('distinguishes a missing file from an unreadable one', async () => {
    const root = await temporaryDirectory();
    await mkdir(join(root, 'directory'));
    await writeFile(join(root, 'shut.jpg'), 'x');
    const { uid, gid } = ordinaryOwner();
    await chmod(root, 0o755);
    await chown(join(root, 'shut.jpg'), uid, gid);
    await chmod(join(root, 'shut.jpg'), 0o000);
    const folder = watched(root);
    expect(await folder.read('none.jpg', LIMIT)).toEqual({ kind: 'gone' });
    expect(await folder.read('none/none.jpg', LIMIT)).toEqual({ kind: 'gone' });
    expect(await folder.read('shut.jpg/x', LIMIT)).toEqual({ kind: 'gone' });
    expect(await folder.read('directory', LIMIT)).toEqual({ kind: 'gone' });
    expect(await asOrdinaryUser(() => folder.read('shut.jpg', LIMIT))).toEqual({
      kind: 'unreadable',
      code: 'EACCES',
    });
    expect(await folder.stat('none.jpg')).toBeNull();
    expect(await folder.stat('none/none.jpg')).toBeNull();
    expect(await folder.stat('directory')).toEqual({ kind: 'other' });
  });

  it('ends on abort', async () => {
    const root = await temporaryDirectory();
    await writeFile(join(root, 'a.jpg'), 'x');
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(watched(root).read('a.jpg', LIMIT, { signal })).rejects.toThrow('enough');
  });

  it.each([
    ['decomposed', 'Ka\u0308se.jpg'],
    ['composed', 'K\u00e4se.jpg'],
    ['emoji', '🧾👩‍💼.jpg'],
    ['Arabic', 'إيصال ٣.jpg'],
    ['255 bytes', `${'ß'.repeat(125)}x.jpg`],
    ['newline', 'two\nlines.jpg'],
    ['leading dash', '-rf.jpg'],
    ['backslash', 'a\\b.jpg'],
    ['dots', '...jpg'],
  ])('preserves the name: %s', async (_, name) => {
    const root = await temporaryDirectory();
    await writeFile(join(root, name), name);
    const folder = watched(root, { include: ['*.jpg'], archiveTo: 'done' });
    for await (const { files } of folder.list()) expect(files).toEqual([{ path: name }]);
    expect(await folder.stat(name)).toMatchObject({ kind: 'file' });
    expect(await folder.read(name, LIMIT)).toMatchObject({ kind: 'bytes', bytes: Buffer.from(name) });

    const aside = await folder.setAside(name);
    await writeFile(join(root, name), 'new');
    const back = await folder.putBack(aside, name);
    expect(Buffer.byteLength(back)).toBeLessThanOrEqual(255);
    expect(await filesIn(root)).toEqual({ [name]: 'new', [back]: name });
    await rename(join(root, back), join(root, name));

    const archived = await folder.archive(await folder.setAside(name), name);
    expect(archived).toBe(join(root, 'done', name));
    expect(await readdir(root)).toEqual(['done']);
  });
});
