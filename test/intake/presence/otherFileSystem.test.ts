import { unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { FileIdentity } from '../../../src/core/domain/document.ts';
import type { WatchedFolder } from '../../../src/core/ports/folder.ts';
import { sha256 } from '../../../src/core/sha256.ts';
import { hintsByHand, watchingPlace } from '../watching.ts';
import { currentFiles, EXT4, lyingOn, NFS, sameSize, VFAT } from './share.ts';

describe('a folder on a different file system than before', () => {
  it('is the same folder if it has a known file; the other files are gone', async () => {
    const place = await watchingPlace();
    for (const name of ['a.jpg', 'b.jpg']) await place.drop(name);
    await place.once({ opened: lyingOn(() => EXT4) });
    await unlink(join(place.scans, 'b.jpg'));
    await place.watch({ opened: lyingOn(() => VFAT) });
    expect(await currentFiles(place)).toEqual(['a.jpg']);
    expect(place.incidents.list()).toEqual([]);
  });

  it('is the same folder if no file was known', async () => {
    const place = await watchingPlace();
    await place.once({ opened: lyingOn(() => EXT4) });
    const { admitted } = await place.watch({ opened: lyingOn(() => NFS) });
    await place.drop('a.jpg');
    await place.clock.advanceUntil(() => admitted.length === 1);
    expect(place.incidents.list()).toEqual([]);
  });

  it('is the same folder if no file was known, even if the first one is overwritten right after admission', async () => {
    const { place, admitted, intake, lookEnds } = await movedBetweenLooks();
    await place.clock.advanceUntil(() => admitted.length === 1);
    expect(await currentFiles(place)).toEqual(['first.jpg']);
    await place.drop('first.jpg', 'another');
    lookEnds();
    await place.clock.advanceUntil(() => admitted.length === 3);
    await place.clock.advance(300_000);
    expect(intake.status.state).toBe('watching');
    expect(place.incidents.list()).toEqual([]);
  });

  it('with a coarse clock admits files only as soon as that clock allows, regardless of the previous one', async () => {
    const stamp = { mtimeNs: 1n, ctimeNs: 1n, inode: 0n };
    const { place, admitted, lookEnds, bytes } = await movedBetweenLooks(stamp);
    await place.clock.advance(1_500);
    // In the same tick as the first write.
    await writeFile(join(place.scans, 'first.jpg'), bytes);
    lookEnds();
    await place.clock.advanceUntil(() => admitted.length === 2);
    expect(admitted.map(({ document }) => document.sha256)).toContain(sha256(bytes));
  });
});

/** A folder that has changed its file system since the agent's last look, which is still examining a reported file. */
async function movedBetweenLooks(stamp: Partial<FileIdentity> = {}) {
  const place = await watchingPlace();
  let type = EXT4;
  let lookEnds!: () => void;
  const looked = new Promise<void>((resolve) => {
    lookEnds = resolve;
  });
  const folder = (real: WatchedFolder): Partial<WatchedFolder> => ({
    stat: async (path) => {
      if (path === 'slow.jpg') await looked;
      const found = await real.stat(path);
      return found?.kind === 'file' ? { ...found, identity: { ...found.identity, ...stamp } } : found;
    },
    read: async (...all) => {
      const read = await real.read(...all);
      return read.kind === 'bytes' ? { ...read, identity: { ...read.identity, ...stamp } } : read;
    },
  });
  const { hints, hint } = hintsByHand();
  const { admitted, intake } = await place.watch({
    opened: lyingOn(() => type),
    folder,
    deps: { hints },
  });
  type = VFAT;
  const [first, bytes] = await sameSize('first', 'second');
  await writeFile(join(place.scans, 'first.jpg'), first);
  await place.drop('slow.jpg');
  for (const name of ['first.jpg', 'slow.jpg']) hint(join(place.scans, name));
  return { place, admitted, intake, lookEnds, bytes };
}
