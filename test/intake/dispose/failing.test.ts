import { chmod, chown, mkdir, readdir, readFile, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isAsideName } from '../../../src/intake/folder/scope.ts';
import type { WatchedFolder } from '../../../src/core/ports/folder.ts';
import type { Disposal } from '../../../src/core/ports/ledgerDisposals.ts';
import { drawReceipt } from '../../support/images.ts';
import { asOrdinaryUser, ordinaryOwner } from '../../support/ordinaryUser.ts';
import { watchingPlace, type WatchingPlace } from '../watching.ts';
import { acceptedFile, ARCHIVE, DELETE, disposalOf, filesOf, levels, never } from './disposing.ts';

const unwritable = (place: WatchingPlace) =>
  place.incidents.list().find(({ code }) => code === 'FOLDER_UNWRITABLE');

/** Every attempt to dispose of such a file fails. */
function failing(code: string, isMeant: (path: string) => boolean = () => true) {
  const tries: string[] = [];
  const folder = (real: WatchedFolder): Partial<WatchedFolder> => ({
    setAside: async (path) => {
      if (!isMeant(path)) return real.setAside(path);
      tries.push(path);
      throw Object.assign(new Error(code), { code });
    },
  });
  return { tries, folder };
}

describe('a file that cannot be disposed of', () => {
  it('waits some minutes, while others continue', async () => {
    const { place } = await acceptedFile(DELETE);
    const { tries, folder } = failing('EPERM', (path) => path === 'a.jpg');
    const { intake, admitted } = await place.watch({ ...DELETE, folder });
    await place.clock.advanceUntil(() => tries.length === 1);
    const from = place.clock.monotonic();
    for (const name of ['b.jpg', 'c.jpg']) {
      await place.drop(name);
      await place.clock.advanceUntil(() => admitted.some(({ document }) => document.path === name));
      await place.acceptAll();
      intake.disposeSoon();
      await place.clock.advanceUntil(async () => !(await filesOf(place)).includes(name));
    }
    expect(place.clock.monotonic() - from).toBeLessThan(60_000);
    await place.clock.advance(300_000 - 1_000 - (place.clock.monotonic() - from));
    expect(tries).toHaveLength(1);
    await place.clock.advanceUntil(() => tries.length === 2, 1_000);
    expect(place.clock.monotonic() - from).toBeLessThan(310_000);
  });

  it.each([
    ['is one of several that are tried, and reported once for their cause', 'EPERM', 3],
    ['stops the others if the whole archive or folder is unavailable', 'EROFS', 1],
    ['stops the others if the archive can’t be reached', 'EHOSTUNREACH', 1],
  ])('%s', async (_, code, tried) => {
    const place = await watchingPlace();
    for (const name of ['a.jpg', 'b.jpg', 'c.jpg']) await place.drop(name);
    const { tries, folder } = failing(code);
    const { intake } = await place.once({ ...DELETE, folder });
    await place.acceptAll();
    await intake.dispose(never);
    expect(tries).toHaveLength(tried);
    expect(levels(place.log, 'originalNotDisposed')).toEqual(['warn']);
    expect(unwritable(place)?.params).toMatchObject({ system: code });
  });

  it('waits with the whole folder if too many wait', async () => {
    const { place, file } = await acceptedFile(DELETE);
    const { folder, settings } = place.create({ ...DELETE, ...failing('EPERM') });
    const { ledger, clock, log } = place;
    const [first] = await ledger.toDispose(place.scans, {
      afterFileId: 0,
      limit: 1,
      stays: 0,
      statuses: null,
    });
    let count = 1_000;
    const toDispose: typeof ledger.toDispose = async (_, { afterFileId }) =>
      Array.from({ length: Math.min(100, count - afterFileId) }, (__, index): Disposal => {
        return { ...first!, fileId: afterFileId + index + 1 };
      });
    const disposing = async () => {};
    const disposal = await disposalOf({
      folder,
      settings,
      ledger: { ...ledger, toDispose, disposing },
      clock,
      log,
    });
    await disposal.run(false, never);
    disposal.soon();
    expect(disposal.isDue).toBe(true);
    count = 1_001;
    await disposal.run(false, never);
    disposal.soon();
    expect(disposal.isDue).toBe(false);
    await clock.advance(300_000);
    expect(disposal.isDue).toBe(true);
    expect(await readFile(file)).not.toHaveLength(0);
  });
});

describe('an archive that cannot be written', () => {
  it('leaves the original in place, and is tried again some minutes later', async () => {
    const place = await watchingPlace();
    const { uid, gid } = ordinaryOwner();
    const archive = join(place.dir, 'archive');
    await mkdir(archive);
    const bytes = await drawReceipt({ type: 'jpeg', seed: 'a' });
    await writeFile(join(place.scans, 'a.jpg'), bytes);
    for (const path of [place.dir, place.scans, archive, join(place.scans, 'a.jpg')])
      await chown(path, uid, gid);
    await chmod(archive, 0o500);
    await asOrdinaryUser(async () => {
      await place.once(ARCHIVE);
      await place.acceptAll();
      const { stop } = await place.watch(ARCHIVE);
      const failures = () => levels(place.log, 'originalNotDisposed').length;
      await place.clock.advanceUntil(() => failures() === 1);
      expect(await readFile(join(place.scans, 'a.jpg'))).toEqual(bytes);
      const params = {
        folder: place.scans,
        file: 'a.jpg',
        system: 'EACCES',
        isArchived: true,
        isAway: false,
      };
      expect(unwritable(place)).toMatchObject({ params });
      // The attempt touched the file, so it is read again, which must not trigger another attempt at once.
      for (let i = 0; i < 40; i += 1)
        await place.clock.advanceUntil(() => true).then(() => place.clock.advance(5_000));
      expect(failures()).toBe(1);
      await place.clock.advanceUntil(() => failures() === 2, 5_000);
      await stop();
    });
  });

  it('and hangs keeps no scan from being taken in', async () => {
    const place = await watchingPlace();
    let asked = 0;
    const hang = () => {
      asked += 1;
      return new Promise<never>(() => {});
    };
    const { stop } = await place.watch({ ...ARCHIVE, folder: () => ({ unwritable: hang }) });
    await place.clock.advanceUntil(() => asked === 1);
    await place.drop('a.jpg');
    await place.clock.advanceUntil(async () => (await place.rows()).length === 1, 1_000);
    expect(place.incidents.list()).toEqual([]);
    await stop();
  });

  it('because a file or a link is in its place is a problem that says so, and the original stays', async () => {
    const place = await watchingPlace();
    const archive = join(place.dir, 'archive');
    await place.drop('sub/a.jpg');
    await mkdir(archive);
    const options = { settings: { ...ARCHIVE.settings, recursive: true } };
    await place.once(options);
    await place.acceptAll();
    await writeFile(join(archive, 'sub'), 'a file');
    const { stop } = await place.watch(options);
    await place.clock.advanceUntil(() => unwritable(place) !== undefined);
    expect(unwritable(place)).toMatchObject({ params: { system: 'ENOTDIR' } });
    // Under Wine, an empty directory of files set aside may stay; the next start removes it.
    const left = async () => (await readdir(join(place.scans, 'sub'))).filter((name) => !isAsideName(name));
    expect(await left()).toEqual(['a.jpg']);
    await unlink(join(archive, 'sub'));
    await place.clock.advanceUntil(() => unwritable(place) === undefined, 5_000);
    expect(await left()).toEqual([]);
    await stop();
  });
});
