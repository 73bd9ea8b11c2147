import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { FileIdentity } from '../../../src/core/domain/document.ts';
import type { WatchedFolder } from '../../../src/core/ports/folder.ts';
import { sha256 } from '../../../src/core/sha256.ts';
import { locateOriginal } from '../../../src/delivery/payload/locateBytes.ts';
import { countingReads, watchingPlace } from '../watching.ts';
import { currentFiles, EXT4, lyingOn, NFS, sameSize, VFAT } from './share.ts';

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

  it('reports polling if so configured on any file system, and watching otherwise', async () => {
    const place = await watchingPlace();
    const polled = place.start({ opened: lyingOn(() => EXT4), settings: { watch: 'poll' } });
    await polled.watching();
    expect(polled.intake.status).toMatchObject({ mode: 'polled', fileSystem: 'ext4' });
    await polled.stop();
    const watched = place.start({ opened: lyingOn(() => EXT4) });
    await watched.watching();
    expect(watched.intake.status).toMatchObject({ mode: 'events', fileSystem: 'ext4' });
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

describe('a share that goes away', () => {
  it.each(['EIO', 'ESTALE', 'ENOTCONN', 'ETIMEDOUT', 'EHOSTDOWN', 'ENODEV'])(
    'with %s is unreachable, loses nothing, and is not read again on its return',
    async (code) => {
      const place = await watchingPlace();
      for (const name of ['a.jpg', 'b.jpg', 'sub/c.jpg']) await place.drop(name);
      let away = false;
      const { count, folder: counted } = countingReads();
      const folder = (real: WatchedFolder): WatchedFolder =>
        failing(counted(real), () => (away ? code : null));
      const { intake, admitted, watching } = place.start({
        folder,
        opened: lyingOn(() => NFS),
        settings: { recursive: true },
      });
      await watching();
      await place.clock.advanceUntil(() => admitted.length === 3);
      const reads = count.reads;
      away = true;
      await place.clock.advanceUntil(() => intake.status.state === 'unreachable');
      const [incident, ...others] = place.incidents.list();
      expect(others).toEqual([]);
      expect(incident).toMatchObject({ code: 'FOLDER_UNREACHABLE', since: intake.status.since });
      expect(incident?.message).toContain(code);
      await place.clock.advance(600_000);
      expect(await place.states()).toEqual({ 'a.jpg': 'queued', 'b.jpg': 'queued', 'sub/c.jpg': 'queued' });
      expect(await currentFiles(place)).toHaveLength(3);
      const [row] = await place.rows();
      const document = await place.ledger.document(row?.documentId ?? 0);
      if (!document) throw new Error('no document');
      const found = await locateOriginal(document, place.ledger, () => intakeFolder);
      expect(found.kind).toBe('away');
      away = false;
      await watching();
      await place.clock.advance(120_000);
      expect(place.incidents.list()).toEqual([]);
      expect(count.reads).toBe(reads);
      expect(admitted).toHaveLength(3);
      expect(place.log.lines.filter(({ level }) => level === 'error')).toHaveLength(1);

      function failing(real: WatchedFolder, fault: () => string | null): WatchedFolder {
        const or = async <T>(operation: () => Promise<T>): Promise<T> => {
          const now = fault();
          if (now === null) return operation();
          throw Object.assign(new Error(now), { code: now });
        };
        intakeFolder = {
          ...real,
          availability: async () => {
            const now = fault();
            return now === null
              ? real.availability()
              : { state: 'unreachable', message: `does not answer (${now})` };
          },
          async *list(...all) {
            await or(async () => {});
            yield* real.list(...all);
          },
          stat: (path) => or(() => real.stat(path)),
          read: async (...all) => {
            const now = fault();
            return now === null ? real.read(...all) : { kind: 'unreadable', code: now };
          },
        };
        return intakeFolder;
      }
    },
  );
  let intakeFolder: WatchedFolder;
});
