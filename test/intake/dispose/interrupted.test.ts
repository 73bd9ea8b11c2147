import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ReceiptdError } from '../../../src/core/domain/errors.ts';
import { recoverAside } from '../../../src/intake/dispose/dispose.ts';
import type { WatchedFolder } from '../../../src/core/ports/folder.ts';
import type { Ledger } from '../../../src/core/ports/ledger.ts';
import { watchingPlace } from '../watching.ts';
import { acceptedFile, ARCHIVE, DELETE, filesOf, never } from './disposing.ts';

describe('a kill in the middle of a disposal', () => {
  it('puts the file back next to one that has taken its name', async () => {
    const place = await watchingPlace();
    const first = await place.drop('a.jpg', 'first');
    const { real } = await place.once();
    await real.setAside('a.jpg');
    const second = await place.drop('a.jpg', 'second');
    const { admitted } = await place.once();
    expect(admitted.map(({ kind }) => kind)).toContain('queued');
    const contents = await Promise.all(
      (await filesOf(place)).map((name) => readFile(join(place.scans, name))),
    );
    expect(contents).toHaveLength(2);
    expect(contents).toContainEqual(first);
    expect(contents).toContainEqual(second);
  });

  it('does not prevent watching if the file cannot be put back', async () => {
    const place = await watchingPlace();
    await place.drop('a.jpg');
    const { real } = await place.once();
    await real.setAside('a.jpg');
    await place.drop('b.jpg');
    const putBack = () => Promise.reject(new Error('EACCES'));
    const { admitted } = await place.once({ folder: () => ({ putBack }) });
    expect(admitted).toHaveLength(1);
    expect(place.log.said('A file that was set aside could not be put back')).toHaveLength(1);
  });
});

describe('an unfinished disposal', () => {
  async function begun(how: 'archived' | 'deleted') {
    const options = how === 'archived' ? ARCHIVE : DELETE;
    const { place, bytes, file } = await acceptedFile(options);
    const first = { afterFileId: 0, limit: 1, stays: 0, statuses: null };
    const [disposal] = await place.ledger.toDispose(place.scans, first);
    await place.ledger.disposing(disposal?.fileId ?? 0, how, place.clock.now());
    const seen = async () => {
      const [row] = await place.rows();
      return (await place.ledger.detail(row?.documentId ?? 0))?.files[0];
    };
    return { place, bytes, options, file, seen };
  }

  it('is recognized as ours once its file is gone, even if a scanner has reused the name', async () => {
    const { place, options, file, seen } = await begun('deleted');
    await rm(file);
    const next = await place.drop('a.jpg', 'next');
    const { admitted } = await place.once(options);
    expect(await seen()).toMatchObject({ disposed: 'deleted' });
    expect(admitted.map(({ kind }) => kind)).toEqual(['queued']);
    expect(await readFile(file)).toEqual(next);
    expect(await place.ledger.begunDisposals(place.scans)).toEqual([]);
  });

  it('is repeated while its file exists', async () => {
    const { place, bytes, options, file, seen } = await begun('archived');
    const { intake } = await place.once(options);
    expect(await readFile(file)).toEqual(bytes);
    expect(await seen()).toMatchObject({ disposed: null, goneAt: null });
    await intake.dispose(never);
    expect(await seen()).toMatchObject({ disposed: 'archived' });
  });

  it('is reported if neither folder nor archive has the file', async () => {
    const { place, options, file, seen } = await begun('archived');
    await rm(file);
    await mkdir(join(place.dir, 'archive'));
    await place.once(options);
    expect(place.log.said('A file whose archiving was interrupted')).toMatchObject([{ level: 'error' }]);
    expect(await seen()).toMatchObject({ disposed: null, archivedTo: null });
    expect(await place.ledger.begunDisposals(place.scans)).toEqual([]);
  });

  it('is not reported if a scanner has overwritten the file with the next scan', async () => {
    const { place, options, file } = await begun('archived');
    await mkdir(join(place.dir, 'archive'));
    const next = await place.drop('a.jpg', 'next');
    const { admitted } = await place.once(options);
    expect(place.log.said('A file whose archiving was interrupted')).toEqual([]);
    expect(place.log.said('The original stays')).toHaveLength(1);
    expect(await readFile(file)).toEqual(next);
    expect(admitted.map(({ kind }) => kind)).toEqual(['queued']);
    expect(await place.ledger.begunDisposals(place.scans)).toEqual([]);
  });

  it('waits while the archive is unreachable', async () => {
    const { place, bytes, options, file, seen } = await begun('archived');
    await rm(file);
    await place.once(options);
    expect(place.log.said('The outcome of an interrupted')).toMatchObject([{ level: 'warn' }]);
    expect(await place.ledger.begunDisposals(place.scans)).toHaveLength(1);
    const archived = join(place.dir, 'archive', 'a.jpg');
    await mkdir(join(place.dir, 'archive'));
    await writeFile(archived, bytes);
    const { intake } = await place.once(options);
    await intake.dispose(never);
    expect(await seen()).toMatchObject({ disposed: 'archived', archivedTo: archived });
  });

  it('waits while another folder is in place of its own', async () => {
    const { place, options, seen } = await begun('deleted');
    const { folder, settings } = place.create({
      ...options,
      folder: () => ({
        leftAside: async () => {
          await rename(place.scans, `${place.scans}.away`);
          await mkdir(place.scans);
          return [];
        },
      }),
    });
    await recoverAside({ folder, settings, ledger: place.ledger, clock: place.clock, log: place.log }, never);
    expect(await seen()).toMatchObject({ disposed: null, goneAt: null });
    expect(await place.ledger.begunDisposals(place.scans)).toHaveLength(1);
  });

  it('waits while its file is being written', async () => {
    const { place, options, seen } = await begun('deleted');
    const read = async () => ({ kind: 'changed' }) as const;
    const { folder, settings } = place.create({ ...options, folder: () => ({ read }) });
    const { ledger, clock, log } = place;
    await recoverAside({ folder, settings, ledger, clock, log }, never);
    expect(await seen()).toMatchObject({ disposed: null, goneAt: null });
    expect(await place.ledger.begunDisposals(place.scans)).toHaveLength(1);
  });

  it('is completed by the same run if only the ledger write failed', async () => {
    const { place, options, file, seen } = await begun('deleted');
    let failures = 1;
    const ledger = (real: Ledger): Partial<Ledger> => ({
      disposed: (...args) => {
        if (failures === 0) return real.disposed(...args);
        failures -= 1;
        return Promise.reject(
          new ReceiptdError({ code: 'LEDGER_WRITE_FAILED', message: 'The disk failed.' }),
        );
      },
    });
    const { intake } = await place.once({ ...options, ledger });
    await intake.dispose(never);
    await expect(readFile(file)).rejects.toThrow('ENOENT');
    expect(await seen()).toMatchObject({ disposed: null });
    await intake.dispose(never);
    expect(await seen()).toMatchObject({ disposed: 'deleted' });
  });

  it('touches no file while the ledger cannot record the intent', async () => {
    const place = await watchingPlace();
    const bytes = await place.drop('a.jpg');
    await place.drop('b.jpg');
    const before = await stat(join(place.scans, 'a.jpg'));
    const disposing = () =>
      Promise.reject(new ReceiptdError({ code: 'LEDGER_WRITE_FAILED', message: 'The disk failed.' }));
    const { intake } = await place.once({ ...DELETE, ledger: () => ({ disposing }) });
    await place.acceptAll();
    await intake.dispose(never);
    expect(await readFile(join(place.scans, 'a.jpg'))).toEqual(bytes);
    expect((await stat(join(place.scans, 'a.jpg'))).ctimeMs).toBe(before.ctimeMs);
    expect(place.log.said('An original could not be archived or deleted')).toHaveLength(1);
  });

  it('has its file put back by the same run as soon as possible', async () => {
    let broken = true;
    const folder = (real: WatchedFolder): Partial<WatchedFolder> => {
      const failing = () => Promise.reject(new Error('EIO'));
      return {
        archive: (...args) => (broken ? failing() : real.archive(...args)),
        putBack: (...args) => (broken ? failing() : real.putBack(...args)),
      };
    };
    const { place, bytes, intake } = await acceptedFile({ ...ARCHIVE, folder });
    await intake.dispose(never);
    expect(await filesOf(place)).toEqual([expect.stringMatching(/^\.receiptd-aside-/)]);
    broken = false;
    await intake.dispose(never);
    expect(await filesOf(place)).toEqual([]);
    expect(await readFile(join(place.dir, 'archive', 'a.jpg'))).toEqual(bytes);
  });
});
