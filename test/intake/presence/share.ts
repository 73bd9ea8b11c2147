import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { FileSystemSources } from '../../../src/intake/folder/fileSystem.ts';
import { drawReceipt } from '../../support/images.ts';
import { watchingPlace, type WatchingPlace } from '../watching.ts';

export const NFS = 0x6969;
export const EXT4 = 0xef53;
export const VFAT = 0x4d44;

/** A folder on the file system type that `type` currently returns. */
export function lyingOn(type: () => number): { fileSystem: FileSystemSources } {
  return { fileSystem: { statfs: async () => ({ type: type() }), mounts: async () => null } };
}

/** The folder as the mount point of a share. */
export async function mounted() {
  const place = await watchingPlace();
  const elsewhere = join(place.dir, 'elsewhere');
  let type = NFS;
  return {
    place,
    opened: lyingOn(() => type),
    async unmount() {
      type = EXT4;
      await rename(place.scans, elsewhere);
      await mkdir(place.scans);
    },
    async mount() {
      type = NFS;
      await rm(place.scans, { recursive: true });
      await rename(elsewhere, place.scans);
    },
  };
}

export async function currentFiles(place: WatchingPlace): Promise<string[]> {
  const names: string[] = [];
  for (const dir of await place.ledger.dirs(place.scans, ''))
    for await (const batch of place.ledger.namesIn(place.scans, dir))
      names.push(...batch.map((name) => (dir === '' ? name : `${dir}/${name}`)));
  return names.sort();
}

/** Two images of equal size, padded after the end of the image. */
export async function sameSize(...seeds: [string, string]): Promise<[Buffer, Buffer]> {
  const [a, b] = await Promise.all(seeds.map((seed) => drawReceipt({ type: 'jpeg', seed })));
  if (!a || !b) throw new Error('no images');
  const size = Math.max(a.length, b.length);
  const pad = (bytes: Buffer): Buffer => Buffer.concat([bytes, Buffer.alloc(size - bytes.length)]);
  return [pad(a), pad(b)];
}
