import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { FileIdentity } from '../../../src/core/domain/document.ts';
import type { WatchedFolder } from '../../../src/core/ports/folder.ts';
import { sha256 } from '../../../src/core/sha256.ts';
import { watchingPlace } from '../watching.ts';
import { lyingOn, NFS, sameSize, VFAT } from './share.ts';

describe('a folder on a share', () => {
  it('is polled, without trying to watch it', async () => {
    const place = await watchingPlace();
    let watches = 0;
    const hints = {
      watch: async () => {
        watches += 1;
        return { close: async () => {} };
      },
    };
    const { intake, admitted } = await place.watch({ opened: lyingOn(() => NFS), deps: { hints } });
    expect(intake.status).toMatchObject({ mode: 'polled', fileSystem: 'nfs' });
    const from = place.clock.monotonic();
    await place.drop('a.jpg');
    await place.clock.advanceUntil(() => admitted.length === 1);
    expect(place.clock.monotonic() - from).toBeLessThan(11_000);
    expect(watches).toBe(0);
  });

  it.each([
    ['nfs', NFS],
    ['vfat', VFAT],
  ])(
    'with a clock as coarse as that of %s loses no scan that is overwritten within one tick',
    async (_, type) => {
      const place = await watchingPlace();
      // Files written within two seconds have the same times, and the inode does not distinguish them.
      const coarse = (identity: FileIdentity): FileIdentity => ({ ...identity, ...stamp });
      let stamp = { mtimeNs: 1n, ctimeNs: 1n, inode: 0n };
      const folder = (real: WatchedFolder): Partial<WatchedFolder> => ({
        stat: async (path) => {
          const found = await real.stat(path);
          return found?.kind === 'file' ? { ...found, identity: coarse(found.identity) } : found;
        },
        read: async (...all) => {
          const read = await real.read(...all);
          return read.kind === 'bytes' ? { ...read, identity: coarse(read.identity) } : read;
        },
      });
      const settings = { watch: 'poll' } as const;
      const { intake, admitted } = await place.watch({ opened: lyingOn(() => type), folder, settings });
      const [first, second] = await sameSize('first', 'second');
      await writeFile(join(place.scans, 'a.jpg'), first);
      await place.clock.advanceUntil(() => intake.status.settling === 1);
      await place.clock.advance(1_500);
      await writeFile(join(place.scans, 'a.jpg'), second);
      await place.clock.advanceUntil(() => admitted.length === 1);
      expect(admitted[0]?.document.sha256).toBe(sha256(second));
      stamp = { ...stamp, mtimeNs: 2n, ctimeNs: 2n };
      await writeFile(join(place.scans, 'a.jpg'), first);
      await place.clock.advanceUntil(() => admitted.length === 2);
      expect(admitted[1]?.document.sha256).toBe(sha256(first));
    },
  );
});
