/** The spool on a real directory: what is in it, what survives, and what it leaves alone. */
import { createHash, randomBytes } from 'node:crypto';
import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { ReadBeside } from '../../../src/core/ports/folder.ts';
import type { BytesReading, Spool } from '../../../src/core/ports/spool.ts';
import { readAtOnce } from '../../../src/intake/folder/fileRead.ts';
import { openSpool } from '../../../src/keeper/spool/openSpool.ts';
import { asOwnerOf } from '../../support/ordinaryUser.ts';
import { RecordedLog } from '../../support/recordedLog.ts';

async function place() {
  const parent = await mkdtemp(join(tmpdir(), 'receiptd-spool-'));
  onTestFinished(() => rm(parent, { recursive: true, force: true }));
  const log = new RecordedLog();
  const dir = join(parent, 'spool');
  const open = (limitBytes = 1_000_000) => openSpool({ dir, limitBytes, log });
  return { parent, dir, log, open };
}

function image(size = 1_000): { bytes: Buffer; hash: string } {
  const bytes = randomBytes(size);
  return { bytes, hash: createHash('sha256').update(bytes).digest('hex') };
}

/** Every file below, however it is named. */
async function filesIn(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => !entry.isDirectory()).map(({ name }) => name);
}

const pathOf = (dir: string, hash: string) => join(dir, hash.slice(0, 2), hash);

it('reads a copy back in this process and the next, until it is removed', async () => {
  const { dir, open } = await place();
  const spool = await open();
  const { bytes, hash } = image();
  expect(spool.has(hash)).toBe(false);
  expect(await spool.read(hash)).toBeNull();
  expect(await spool.put(hash, bytes)).toBe(true);
  expect(await spool.put(hash, bytes)).toBe(true);
  expect(spool.usedBytes).toBe(1_000);
  expect(await filesIn(dir)).toEqual([hash]);

  const next = await open();
  expect(next.usedBytes).toBe(1_000);
  expect(next.hashes()).toEqual([hash]);
  expect(await next.read(hash)).toEqual(bytes);
  await next.remove(hash);
  await next.remove(hash);
  expect(next.has(hash)).toBe(false);
  expect(next.usedBytes).toBe(0);
  expect(await filesIn(dir)).toEqual([]);
});

it('is readable only by its owner, even if the directory was open before', async () => {
  const { dir, open } = await place();
  await mkdir(dir);
  await chmod(dir, 0o755);
  const spool = await open();
  const { bytes, hash } = image();
  await spool.put(hash, bytes);
  const modes = await Promise.all(
    [dir, join(dir, hash.slice(0, 2)), pathOf(dir, hash)].map(
      async (path) => (await stat(path)).mode & 0o777,
    ),
  );
  expect(modes).toEqual([0o700, 0o700, 0o600]);
});

it('never exceeds the limit on disk under concurrent writes', async () => {
  const { dir, open } = await place();
  const spool = await open(10_500);
  const images = Array.from({ length: 30 }, () => image());
  const done = await Promise.all(images.map(({ hash, bytes }) => spool.put(hash, bytes)));
  expect(done.filter(Boolean)).toHaveLength(10);
  expect(await filesIn(dir)).toHaveLength(10);
  expect(spool.usedBytes).toBe(10_000);
  expect(spool.fits(500)).toBe(true);
  expect(spool.fits(501)).toBe(false);
  await spool.remove(spool.hashes()[0] ?? '');
  expect(spool.fits(1_500)).toBe(true);
});

it('reports what is on disk after concurrent writes and removals in any order', async () => {
  const { dir, open } = await place();
  const spool = await open();
  const images = Array.from({ length: 8 }, () => image());
  await Promise.all(
    Array.from({ length: 400 }, (_, turn) => {
      const { hash, bytes } = images[(turn * 7) % 8] as { hash: string; bytes: Buffer };
      return turn % 3 === 0 ? spool.remove(hash) : turn % 3 === 1 ? spool.put(hash, bytes) : spool.read(hash);
    }),
  );
  expect((await filesIn(dir)).toSorted()).toEqual([...spool.hashes()].toSorted());
  expect(spool.usedBytes).toBe(spool.hashes().length * 1_000);
});

it.each([
  ['changed', (path: string) => writeFile(path, randomBytes(1_000))],
  ['cut short', (path: string) => truncate(path, 999)],
  ['grown', (path: string) => truncate(path, 5_000_000)],
  ['gone', (path: string) => rm(path)],
])('discards and logs a copy that is %s, and frees its space', async (_, damage) => {
  const { dir, open, log } = await place();
  const spool = await open();
  const { bytes, hash } = image();
  await spool.put(hash, bytes);
  await damage(pathOf(dir, hash));
  expect(await spool.read(hash)).toBeNull();
  expect(spool.has(hash)).toBe(false);
  expect(spool.usedBytes).toBe(0);
  expect(await filesIn(dir)).toEqual([]);
  expect(log.said('A copy in the spool is missing or damaged')).toHaveLength(1);
  expect(await spool.put(hash, bytes)).toBe(true);
  expect(await spool.read(hash)).toEqual(bytes);
});

it('removes files that a kill left incomplete, and does not count them', async () => {
  const { dir, open } = await place();
  const spool = await open();
  const { bytes, hash } = image();
  await spool.put(hash, bytes);
  const half = image();
  await mkdir(join(dir, half.hash.slice(0, 2)), { recursive: true });
  await writeFile(join(dir, half.hash.slice(0, 2), `.${half.hash}.new`), half.bytes.subarray(0, 500));
  const next = await open();
  expect(next.hashes()).toEqual([hash]);
  expect(next.usedBytes).toBe(1_000);
  expect(await filesIn(dir)).toEqual([hash]);
});

it('neither follows, counts, overwrites nor deletes links and foreign files', async () => {
  const { parent, dir, open } = await place();
  const secret = join(parent, 'secret');
  const [linked, plain] = [image(), image()];
  let linkedDir = image();
  while (linkedDir.hash.startsWith(linked.hash.slice(0, 2))) linkedDir = image();
  await writeFile(secret, linked.bytes);
  const outside = join(parent, 'outside');
  await mkdir(outside);
  await writeFile(join(outside, linkedDir.hash), linkedDir.bytes);
  await mkdir(join(dir, linked.hash.slice(0, 2)), { recursive: true });
  await symlink(secret, pathOf(dir, linked.hash));
  await symlink(outside, join(dir, linkedDir.hash.slice(0, 2)));
  await writeFile(join(dir, 'notes.txt'), 'mine');
  await writeFile(join(dir, linked.hash.slice(0, 2), 'notes.txt'), 'mine');
  await mkdir(join(dir, 'zz'));
  await writeFile(join(dir, 'zz', plain.hash), plain.bytes);
  const before = await filesIn(dir);

  const spool = await open();
  expect(spool.hashes()).toEqual([]);
  expect(spool.usedBytes).toBe(0);
  for (const { hash, bytes } of [linked, linkedDir]) {
    await expect(spool.put(hash, bytes)).rejects.toMatchObject({ code: 'SPOOL_UNWRITABLE' });
    expect(await spool.read(hash)).toBeNull();
    await spool.remove(hash);
  }
  expect(await filesIn(dir)).toEqual(before);
  expect((await lstat(pathOf(dir, linked.hash))).isSymbolicLink()).toBe(true);
  expect(await readFile(secret)).toEqual(linked.bytes);
  expect(await readdir(outside)).toEqual([linkedDir.hash]);
});

it('does not follow a link that replaced a copy', async () => {
  const { parent, dir, open } = await place();
  const spool = await open();
  const { bytes, hash } = image();
  await spool.put(hash, bytes);
  await rm(pathOf(dir, hash));
  await writeFile(join(parent, 'elsewhere'), bytes);
  await symlink(join(parent, 'elsewhere'), pathOf(dir, hash));
  expect(await spool.read(hash)).toBeNull();
  expect(await readFile(join(parent, 'elsewhere'))).toEqual(bytes);
});

it('reads into the memory it is given, beside this thread if that can, and gives a damaged copy back', async () => {
  const { dir, open } = await place();
  const spool = await open();
  const [kept, other] = [image(), image()];
  await spool.put(kept.hash, kept.bytes);
  const lent = new Set<Buffer>();
  const beside: string[] = [];
  const reading: BytesReading = {
    buffers: {
      take(size) {
        const bytes = Buffer.alloc(size);
        lent.add(bytes);
        return bytes;
      },
      giveBack: (bytes) => void lent.delete(bytes),
    },
    hash: async (bytes) => createHash('sha256').update(bytes).digest('hex'),
  };
  const readBeside: ReadBeside = async (file, size, take) => {
    beside.push(file);
    return readAtOnce(file, size, take);
  };
  for (const how of [reading, { ...reading, readBeside }]) {
    const bytes = await spool.read(kept.hash, how);
    expect(bytes).toEqual(kept.bytes);
    expect([...lent]).toEqual([bytes]);
    lent.clear();
  }
  expect(beside).toEqual([pathOf(dir, kept.hash)]);
  for (const how of [reading, { ...reading, readBeside }]) {
    await spool.put(other.hash, other.bytes);
    await writeFile(pathOf(dir, other.hash), kept.bytes);
    expect(await spool.read(other.hash, how)).toBeNull();
    expect(lent).toEqual(new Set());
    expect(spool.has(other.hash)).toBe(false);
  }
});

it('does not take a copy that cannot be read beside this thread for gone', async () => {
  const { open } = await place();
  const spool = await open();
  const { bytes, hash } = image();
  await spool.put(hash, bytes);
  const reading: BytesReading = {
    buffers: { take: (size) => Buffer.alloc(size), giveBack() {} },
    hash: async () => hash,
    readBeside: async () => ({ kind: 'unreadable', code: 'EIO' }),
  };
  await expect(spool.read(hash, reading)).rejects.toMatchObject({
    code: 'SPOOL_UNWRITABLE',
    params: { system: 'EIO', doing: 'read' },
  });
  expect(spool.has(hash)).toBe(true);
});

it('reports the system error code if it cannot write, and still reads existing copies', async () => {
  const { parent, dir, open } = await place();
  await asOwnerOf(parent, async () => {
    const spool = await open();
    const [kept, other] = [image(), image()];
    await spool.put(kept.hash, kept.bytes);
    const below = join(dir, kept.hash.slice(0, 2));
    await chmod(below, 0o500);
    await chmod(dir, 0o500);
    await expect(spool.put(other.hash, other.bytes)).rejects.toMatchObject({
      code: 'SPOOL_UNWRITABLE',
      message: `The spool in ${dir} can't be written (EACCES).`,
    });
    await expect(spool.remove(kept.hash)).rejects.toMatchObject({ code: 'SPOOL_UNWRITABLE' });
    expect(spool.usedBytes).toBe(1_000);
    expect(await spool.read(kept.hash)).toEqual(kept.bytes);
    // A copy that can't be read now is not gone.
    await chmod(pathOf(dir, kept.hash), 0o000);
    await expect(spool.read(kept.hash)).rejects.toMatchObject({ code: 'SPOOL_UNWRITABLE' });
    expect(spool.has(kept.hash)).toBe(true);
    await chmod(dir, 0o700);
    await chmod(below, 0o700);
    await chmod(pathOf(dir, kept.hash), 0o600);
    expect(await spool.put(other.hash, other.bytes)).toBe(true);
    expect(await spool.read(kept.hash)).toEqual(kept.bytes);
  });
});

it('names the directory that cannot be created or is not a directory, and tries again', async () => {
  const { dir, open } = await place();
  await writeFile(dir, 'a file');
  const spool: Spool = await open();
  const said = { code: 'SPOOL_UNWRITABLE', message: `The spool in ${dir} can't be used (EEXIST).` };
  const { hash, bytes } = image();
  await expect(spool.put(hash, bytes)).rejects.toMatchObject(said);
  // What lies there is not known: it must not pass for gone.
  await expect(spool.read(hash)).rejects.toMatchObject(said);
  await rm(dir);
  expect(await spool.put(hash, bytes)).toBe(true);
  expect(await spool.read(hash)).toEqual(bytes);
});

it('never turns anything but a hash into a path', async () => {
  const { open } = await place();
  const spool = await open();
  await expect(spool.put('../../elsewhere', Buffer.from('x'))).rejects.toThrow('not a hash');
});
