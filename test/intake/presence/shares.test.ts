import { mkdir, readdir, rename, rm, unlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { FileIdentity } from '../../../src/core/domain/document.ts';
import type { FileSystemSources } from '../../../src/intake/folder/fileSystem.ts';
import { sha256 } from '../../../src/core/sha256.ts';
import { createImageInspector } from '../../../src/intake/image/inspect.ts';
import { Looks } from '../../../src/intake/looks.ts';
import { inItsPlace } from '../../../src/intake/presence/mountIdentity.ts';
import { locateOriginal } from '../../../src/delivery/payload/locateBytes.ts';
import type { FolderHints, WatchedFolder } from '../../../src/core/ports/folder.ts';
import { drawReceipt } from '../../support/images.ts';
import { watchingPlace, type WatchingPlace } from '../watching.ts';

const NFS = 0x6969;
const EXT4 = 0xef53;
const VFAT = 0x4d44;

/** A folder on the file system type that `type` currently returns. */
function lyingOn(type: () => number): { fileSystem: FileSystemSources } {
  return { fileSystem: { statfs: async () => ({ type: type() }), mounts: async () => null } };
}

/** Counts the operations that cost the share something. */
function counting() {
  const count = { reads: 0, watches: 0 };
  const folder = (real: WatchedFolder): WatchedFolder => ({
    ...real,
    read: (...all) => {
      count.reads += 1;
      return real.read(...all);
    },
  });
  return { count, folder };
}

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
    const { intake, admitted, watching } = place.start({ opened: lyingOn(() => NFS), deps: { hints } });
    await watching();
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
      const folder = (real: WatchedFolder): WatchedFolder => ({
        ...real,
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
      const { intake, admitted, watching } = place.start({ opened: lyingOn(() => type), folder, settings });
      await watching();
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
      const { count, folder: counted } = counting();
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

describe('an empty directory in place of an unmounted share', () => {
  it('does not count as an empty share: no file is gone, and new files are admitted, even after a restart', async () => {
    const share = await mounted();
    const { place, opened } = share;
    for (const name of ['a.jpg', 'b.jpg']) await place.drop(name);
    const first = place.start({ opened });
    await first.watching();
    await place.clock.advanceUntil(() => first.admitted.length === 2);
    await share.unmount();
    await place.clock.advanceUntil(() => first.intake.status.state === 'unreachable');
    expect(first.intake.status.message).toContain('not nfs');
    await place.drop('new.jpg');
    await place.clock.advanceUntil(() => first.admitted.length === 3);
    await place.clock.advance(300_000);
    expect(await currentFiles(place)).toEqual(['a.jpg', 'b.jpg', 'new.jpg']);
    await first.stop();

    const { count, folder } = counting();
    const second = place.start({ opened, folder });
    await place.clock.advance(300_000);
    expect(second.intake.status.state).toBe('unreachable');
    expect(place.incidents.list()).toMatchObject([{ code: 'FOLDER_UNREACHABLE' }]);
    expect(await currentFiles(place)).toEqual(['a.jpg', 'b.jpg', 'new.jpg']);
    await share.mount();
    await second.watching();
    await place.clock.advance(10_000);
    expect(place.incidents.list()).toEqual([]);
    expect(second.intake.status).toMatchObject({ fileSystem: 'nfs', mode: 'polled' });
    expect(count.reads).toBe(0);
    // Now hidden by the mounted share.
    expect(await currentFiles(place)).toEqual(['a.jpg', 'b.jpg']);
  });

  it('does not count as the share because a scanner writes a file with a known name into it', async () => {
    const share = await mounted();
    const { place, opened } = share;
    await place.drop('SCAN0001.jpg', 'monday');
    await place.drop('SCAN0002.jpg', 'tuesday');
    const first = await place.once({ opened });
    expect(first.admitted).toHaveLength(2);
    await share.unmount();
    await place.drop('SCAN0001.jpg', 'wednesday');
    const { admitted, intake } = place.start({ opened });
    await place.clock.advanceUntil(() => admitted.length === 1);
    await place.clock.advance(300_000);
    expect(intake.status.state).toBe('unreachable');
    expect(await currentFiles(place)).toEqual(['SCAN0001.jpg', 'SCAN0002.jpg']);
  });

  it.each(['read', 'looked at'])(
    'does not count as the share because its first file was %s just before',
    async (step) => {
      const share = await mounted();
      const { place, opened } = share;
      await place.drop('a.jpg');
      let hasLeft = false;
      const leave = async (at: string): Promise<void> => {
        if (at !== step || hasLeft) return;
        await share.unmount();
        hasLeft = true;
      };
      const folder = (real: WatchedFolder): WatchedFolder => ({
        ...real,
        read: async (...all) => {
          const read = await real.read(...all);
          await leave('read');
          return read;
        },
      });
      const looks = new Looks({
        ledger: place.ledger,
        inspector: createImageInspector(),
        papers: null,
        measure: async () => {
          await leave('looked at');
          return null;
        },
      });
      const { admitted, watching } = place.start({
        opened,
        folder,
        settings: { look: 'warn' },
        deps: { looks },
      });
      await place.clock.advanceUntil(() => hasLeft);
      await place.clock.advance(60_000);
      // Admitted there, it would later count as gone.
      expect(admitted).toEqual([]);
      await share.mount();
      await watching();
      await place.clock.advanceUntil(() => admitted.length === 1);
      expect(await currentFiles(place)).toEqual(['a.jpg']);
      expect(await place.ledger.folderMark(place.scans)).toContain('nfs');
    },
  );

  it('has nothing archived or deleted from it', async () => {
    const share = await mounted();
    const { place, opened } = share;
    await place.drop('a.jpg');
    const settings = { afterUpload: 'delete' } as const;
    await place.once({ opened, settings });
    await place.acceptAll();
    await share.unmount();
    await place.drop('a.jpg');
    // No proof of the share: it was written at another time.
    await utimes(join(place.scans, 'a.jpg'), 0, 0);
    const { intake } = place.start({ opened, settings });
    await place.clock.advanceUntil(() => intake.status.state === 'unreachable');
    await place.clock.advance(10_000);
    await intake.dispose(new AbortController().signal);
    expect(await readdir(place.scans)).toEqual(['a.jpg']);
  });

  it("makes a document's bytes count as away, not as lost", async () => {
    const share = await mounted();
    const { place, opened } = share;
    await place.drop('a.jpg');
    const { admitted, real } = await place.once({ opened });
    const document = admitted[0]?.document;
    if (!document) throw new Error('not admitted');
    const open = (): WatchedFolder => inItsPlace(real, place.ledger);
    expect((await locateOriginal(document, place.ledger, open)).kind).toBe('bytes');
    await share.unmount();
    expect((await locateOriginal(document, place.ledger, open)).kind).toBe('away');
  });

  it("is not watched for the first time in the share's absence if the ledger knows files of the share", async () => {
    const share = await mounted();
    const { place, opened } = share;
    await place.drop('a.jpg');
    // As after a kill right after deferred images were recorded: known files, but no first watch.
    await place.once({ opened, ledger: (real) => ({ ...real, markWatched: async () => {} }) });
    expect(await place.states()).toEqual({ 'a.jpg': 'queued' });
    expect(await place.ledger.isFirstWatch(place.scans)).toBe(true);
    await share.unmount();
    expect(await place.once({ opened })).toMatchObject({ present: false });
    const { intake, watching } = place.start({ opened });
    await place.clock.advance(60_000);
    expect(intake.status.state).toBe('unreachable');
    expect(await currentFiles(place)).toEqual(['a.jpg']);
    expect(await place.ledger.isFirstWatch(place.scans)).toBe(true);
    await share.mount();
    await watching();
    expect(await currentFiles(place)).toEqual(['a.jpg']);
    expect(await place.ledger.isFirstWatch(place.scans)).toBe(false);
  });

  it('becomes the folder once a person confirms it', async () => {
    const share = await mounted();
    const { place, opened } = share;
    await place.drop('a.jpg');
    await place.once({ opened });
    await share.unmount();
    const { intake, watching } = place.start({ opened });
    await place.clock.advanceUntil(() => intake.status.state === 'unreachable');
    await intake.takeOver();
    await watching();
    expect(await currentFiles(place)).toEqual([]);
  });
});

describe('a folder on a different file system than before', () => {
  it('is the same folder if it has a known file; the other files are gone', async () => {
    const place = await watchingPlace();
    for (const name of ['a.jpg', 'b.jpg']) await place.drop(name);
    await place.once({ opened: lyingOn(() => EXT4) });
    await unlink(join(place.scans, 'b.jpg'));
    const { watching } = place.start({ opened: lyingOn(() => VFAT) });
    await watching();
    expect(await currentFiles(place)).toEqual(['a.jpg']);
    expect(place.incidents.list()).toEqual([]);
  });

  it('is the same folder if no file was known', async () => {
    const place = await watchingPlace();
    await place.once({ opened: lyingOn(() => EXT4) });
    const { admitted, watching } = place.start({ opened: lyingOn(() => NFS) });
    await watching();
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
  const folder = (real: WatchedFolder): WatchedFolder => ({
    ...real,
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
  let hint!: (path: string) => void;
  const hints: FolderHints = {
    watch: async (_, _recursive, onHint) => {
      hint = onHint;
      return { close: async () => {} };
    },
  };
  const { admitted, intake, watching } = place.start({
    opened: lyingOn(() => type),
    folder,
    deps: { hints },
  });
  await watching();
  type = VFAT;
  const [first, bytes] = await sameSize('first', 'second');
  await writeFile(join(place.scans, 'first.jpg'), first);
  await place.drop('slow.jpg');
  for (const name of ['first.jpg', 'slow.jpg']) hint(join(place.scans, name));
  return { place, admitted, intake, lookEnds, bytes };
}

/** The folder as the mount point of a share. */
async function mounted() {
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

async function currentFiles(place: WatchingPlace): Promise<string[]> {
  const names: string[] = [];
  for (const dir of await place.ledger.dirs(place.scans, ''))
    for await (const batch of place.ledger.namesIn(place.scans, dir))
      names.push(...batch.map((name) => (dir === '' ? name : `${dir}/${name}`)));
  return names.sort();
}

/** Two images of equal size, padded after the end of the image. */
async function sameSize(...seeds: [string, string]): Promise<[Buffer, Buffer]> {
  const [a, b] = await Promise.all(seeds.map((seed) => drawReceipt({ type: 'jpeg', seed })));
  if (!a || !b) throw new Error('no images');
  const size = Math.max(a.length, b.length);
  const pad = (bytes: Buffer): Buffer => Buffer.concat([bytes, Buffer.alloc(size - bytes.length)]);
  return [pad(a), pad(b)];
}
