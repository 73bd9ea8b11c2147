import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import {
  chmod,
  chown,
  lstat,
  mkdtemp,
  rename,
  rm,
  symlink,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createHashing } from '../../../src/intake/image/hashing.ts';
import { ImageBuffers } from '../../../src/keeper/imageBuffers.ts';
import type { FileRead, ReadBeside } from '../../../src/core/ports/folder.ts';
import { compile } from '../../support/scripts.ts';
import { asOrdinaryUser, ordinaryOwner } from '../../support/ordinaryUser.ts';

const SIZE = 100_000;

let program: string;
beforeAll(async () => {
  program = fileURLToPath((await compile('wiring/hashThread.ts')).url);
});

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'receiptd-beside-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
});

/** Bytes unique to the seed. */
function image(size: number, seed: number): Buffer {
  // The pattern repeats every 256 bytes.
  return Buffer.alloc(
    size,
    Uint8Array.from({ length: 256 }, (_, at) => (at * seed + seed) & 0xff),
  );
}

function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

async function put(name: string, bytes: Uint8Array): Promise<string> {
  const file = join(dir, name);
  await writeFile(file, bytes);
  return file;
}

const buffers = new ImageBuffers(() => {});
const take = (size: number): Buffer => buffers.take(size);

function bytesOf(read: FileRead | null): Buffer {
  if (read?.kind !== 'bytes') throw new Error(`It is ${read?.kind}.`);
  return read.bytes;
}

describe('reading in a thread', () => {
  it('returns bytes, their digest and the exact identity', async () => {
    const { hash, readBeside } = createHashing(program, { few: 0 });
    const bytes = image(SIZE, 7);
    const file = await put('a.jpg', bytes);
    const { mtimeNs, ctimeNs, ino } = await lstat(file, { bigint: true });
    const read = await readBeside(file, SIZE, take);
    expect(read).toMatchObject({ identity: { size: SIZE, mtimeNs, ctimeNs, inode: ino } });
    expect(bytesOf(read).equals(bytes)).toBe(true);
    // Changed in memory since, so that a new digest would differ.
    bytesOf(read).fill(0);
    expect(await hash(bytesOf(read))).toBe(digestOf(bytes));
  });

  it('keeps concurrent reads separate, mixed with images that are only hashed', async () => {
    const { hash, readBeside } = createHashing(program, { few: 0 });
    const images = Array.from({ length: 40 }, (_, n) => image(SIZE + n * 50_000, 2 * n + 1));
    const files = await Promise.all(images.map((bytes, n) => put(`${n}.jpg`, bytes)));
    const digests = await Promise.all(
      images.map(async (bytes, n) => {
        if (n % 3 > 0) return hash(bytesOf(await readBeside(files[n]!, bytes.length, take)));
        const taken = take(bytes.length);
        taken.set(bytes);
        return hash(taken);
      }),
    );
    expect(digests).toEqual(images.map(digestOf));
  });

  it('never mixes up images that occupy the same memory one after the other', async () => {
    const { hash, readBeside } = createHashing(program, { few: 0 });
    for (let n = 1; n < 20; n += 1) {
      const bytes = image(SIZE, 2 * n + 1);
      const read = bytesOf(await readBeside(await put('a.jpg', bytes), SIZE, take));
      expect(await hash(read)).toBe(digestOf(bytes));
      buffers.giveBack(read);
    }
  });

  it.each<[string, FileRead, (file: string) => Promise<unknown> | void]>([
    ['is gone', { kind: 'gone' }, (file) => rm(file)],
    ['has become shorter', { kind: 'changed' }, (file) => truncate(file, SIZE - 1)],
    ['has become longer', { kind: 'changed' }, (file) => appendFileSync(file, 'x')],
    ['has become empty', { kind: 'changed' }, (file) => truncate(file, 0)],
    [
      'is a link to the same file now',
      { kind: 'gone' },
      async (file) => {
        await rename(file, `${file}.real`);
        await symlink(`${file}.real`, file);
      },
    ],
    [
      'is a FIFO now',
      { kind: 'gone' },
      async (file) => {
        await rm(file);
        execFileSync('mkfifo', [file]);
      },
    ],
    [
      'is a directory now',
      { kind: 'gone' },
      async (file) => {
        await rm(file);
        execFileSync('mkdir', [file]);
      },
    ],
  ])('reports a file that %s', async (_, expected, change) => {
    const { readBeside } = createHashing(program, { few: 0 });
    const file = await put('a.jpg', image(SIZE, 7));
    await change(file);
    expect(await readBeside(file, SIZE, take)).toEqual(expected);
  });

  it('reports a file that may not be read', async () => {
    const { readBeside } = createHashing(program, { few: 0 });
    const { uid, gid } = ordinaryOwner();
    await chmod(dir, 0o755);
    const [file, other] = [await put('shut.jpg', image(SIZE, 7)), await put('b.jpg', image(SIZE, 9))];
    await chown(file, uid, gid);
    await chmod(file, 0);
    // Starts the thread.
    bytesOf(await readBeside(other, SIZE, take));
    const read = await asOrdinaryUser(() => readBeside(file, SIZE, take));
    expect(read).toEqual({ kind: 'unreadable', code: 'EACCES' });
  });

  it.each([
    ['grows', `fs.appendFileSync(FILE, 'x')`],
    ['is overwritten with as many bytes', `fs.writeFileSync(FILE, Buffer.alloc(${SIZE}, 'b'))`],
    ['shrinks', `fs.truncateSync(FILE, 10)`],
  ])('reports a file that %s while it is read', async (_, change) => {
    const file = await put('a.jpg', image(SIZE, 7));
    await utimes(file, 1, 1);
    const meddling = join(dir, 'meddling.mjs');
    const text = [
      `import fs from 'node:fs';`,
      `const FILE = ${JSON.stringify(file)};`,
      `const { readSync } = fs;`,
      `fs.readSync = (fd, bytes, offset, length, position) => {`,
      `  const read = readSync(fd, bytes, offset, Math.min(length, 50_000), position);`,
      `  if (offset === 0) ${change};`,
      `  return read;`,
      `};`,
      `await import(${JSON.stringify(program)});`,
    ];
    await writeFile(meddling, text.join('\n'));
    const { readBeside } = createHashing(meddling, { few: 0 });
    expect(await readBeside(file, SIZE, take)).toEqual({ kind: 'changed' });
  });

  it('is left to the caller for small or empty files and unshared memory', async () => {
    const { readBeside } = createHashing(program, { few: 0 });
    const takes: number[] = [];
    const counted = (size: number): Buffer => (takes.push(size), take(size));
    expect(await readBeside(await put('a.jpg', image(1_000, 3)), 1_000, counted)).toBeNull();
    expect(await readBeside(await put('empty.jpg', Buffer.alloc(0)), 0, counted)).toBeNull();
    expect(takes).toEqual([]);
    const large = await put('b.jpg', image(SIZE, 3));
    expect(await readBeside(large, SIZE, (size) => Buffer.alloc(size))).toBeNull();
  });

  it('is left to the caller once the thread fails, including waiting reads', async () => {
    const { readBeside } = createHashing('/there/is/no/program.js', { few: 0 });
    const file = await put('a.jpg', image(SIZE, 3));
    const all: ReturnType<ReadBeside>[] = [readBeside(file, SIZE, take), readBeside(file, SIZE, take)];
    expect(await Promise.all(all)).toEqual([null, null]);
    const none = vi.fn(take);
    expect(await readBeside(file, SIZE, none)).toBeNull();
    expect(none).not.toHaveBeenCalled();
  });
});
