import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ReceiptdError } from '../../../src/core/domain/errors.ts';
import type { WatchedFolder } from '../../../src/core/ports/folder.ts';
import type { Ledger } from '../../../src/core/ports/ledger.ts';
import { recoverAside } from '../../../src/intake/dispose/dispose.ts';
import { watchingPlace } from '../watching.ts';
import { acceptedFile, ARCHIVE, DELETE, filesOf, levels, never } from './disposing.ts';

/** A disposal of `a.jpg` whose intent is in the ledger. */
async function begun(how: 'archived' | 'deleted') {
  const options = how === 'archived' ? ARCHIVE : DELETE;
  const { place, bytes, file, real } = await acceptedFile(options);
  const { ledger, scans, clock, log } = place;
  const archived = join(place.dir, 'archive', 'a.jpg');
  await mkdir(join(place.dir, 'archive'));
  const first = { afterFileId: 0, limit: 1, stays: 0, statuses: null };
  const [disposal] = await ledger.toDispose(scans, first);
  await ledger.disposing(disposal?.fileId ?? 0, how, clock.now());
  const outcome = async () => {
    const [row] = await place.rows();
    const [seen] = (await ledger.detail(row?.documentId ?? 0))?.files ?? [];
    return { disposed: seen?.disposed, isOpen: (await ledger.begunDisposals(scans)).length === 1 };
  };
  const recover = async (folder: (real: WatchedFolder) => Partial<WatchedFolder> = () => ({})) => {
    const created = place.create({ ...options, folder });
    await recoverAside({ ...created, ledger, clock, log }, never);
  };
  return { place, bytes, options, file, real, archived, outcome, recover };
}

type Crash = Awaited<ReturnType<typeof begun>>;
const isOpen = { disposed: null, isOpen: true };
const isOver = { disposed: null, isOpen: false };

/** What a crash has left, what becomes of the disposal, and what is logged. */
const CRASHES: Record<string, ['archived' | 'deleted', (crash: Crash) => Promise<unknown>, object, string]> =
  {
    'its file is in its place': ['archived', async () => {}, isOver, ''],
    'its file is aside': ['archived', ({ real }) => real.setAside('a.jpg'), isOver, 'asideFilePutBack'],
    'its file was deleted': [
      'deleted',
      ({ file }) => rm(file),
      { disposed: 'deleted', isOpen: false },
      'originalDeletedBefore',
    ],
    'its file is in the archive': [
      'archived',
      ({ file, archived }) => rename(file, archived),
      { disposed: 'archived', isOpen: false },
      'originalArchivedBefore',
    ],
    'its file is nowhere': ['archived', ({ file }) => rm(file), isOver, 'archivedFileMissing'],
    'its file was overwritten': [
      'archived',
      ({ file }) => writeFile(file, 'next'),
      isOver,
      'changedOriginalStays',
    ],
    'the archive is unreachable': [
      'archived',
      async ({ file, place }) => {
        await rm(file);
        await rm(join(place.dir, 'archive'), { recursive: true });
      },
      isOpen,
      'disposalOutcomeUnknown',
    ],
  };
const EVENTS = [
  'asideFilePutBack',
  'originalDeletedBefore',
  'originalArchivedBefore',
  'archivedFileMissing',
  'changedOriginalStays',
  'disposalOutcomeUnknown',
] as const;

describe('a disposal that a crash interrupted', () => {
  it.each(Object.entries(CRASHES))('is ended if %s', async (_, [how, leave, expected, said]) => {
    const crash = await begun(how);
    await leave(crash);
    await crash.recover();
    expect(await crash.outcome()).toEqual(expected);
    expect(EVENTS.filter((event) => levels(crash.place.log, event).length > 0).join()).toBe(said);
    expect(await filesOf(crash.place)).not.toContainEqual(expect.stringMatching(/^\.receiptd-aside-/));
  });

  it('is recognized as ours once its file is gone, even if a scanner has reused the name', async () => {
    const { place, options, file, outcome } = await begun('deleted');
    await rm(file);
    const next = await place.drop('a.jpg', 'next');
    const { admitted } = await place.once(options);
    expect(await outcome()).toEqual({ disposed: 'deleted', isOpen: false });
    expect(admitted.map(({ kind }) => kind)).toEqual(['queued']);
    expect(await readFile(file)).toEqual(next);
  });

  it('waits while another folder is in place of its own, or its file is being written', async () => {
    const { place, outcome, recover } = await begun('deleted');
    await recover(() => ({ read: async () => ({ kind: 'changed' }) }));
    expect(await outcome()).toEqual(isOpen);
    await recover(() => ({
      leftAside: async () => {
        await rename(place.scans, `${place.scans}.away`);
        await mkdir(place.scans);
        return [];
      },
    }));
    expect(await outcome()).toEqual(isOpen);
  });

  it('has its file put back next to one that has taken its name', async () => {
    const place = await watchingPlace();
    const first = await place.drop('a.jpg', 'first');
    const { real } = await place.once();
    await real.setAside('a.jpg');
    const second = await place.drop('a.jpg', 'second');
    const { admitted } = await place.once();
    expect(admitted.map(({ kind }) => kind)).toContain('queued');
    expect(await readFile(join(place.scans, 'a.jpg'))).toEqual(second);
    expect(await readFile(join(place.scans, 'a (2).jpg'))).toEqual(first);
  });

  it('does not prevent watching if its file cannot be put back', async () => {
    const place = await watchingPlace();
    await place.drop('a.jpg');
    const { real } = await place.once();
    await real.setAside('a.jpg');
    await place.drop('b.jpg');
    const putBack = () => Promise.reject(new Error('EACCES'));
    const { admitted } = await place.once({ folder: () => ({ putBack }) });
    expect(admitted).toHaveLength(1);
    expect(levels(place.log, 'asideFileNotPutBack')).toEqual(['error']);
  });
});

const broken = () =>
  Promise.reject(new ReceiptdError({ code: 'LEDGER_WRITE_FAILED', message: 'The disk failed.' }));

describe('a disposal that fails half-way', () => {
  it('is completed by the same run if only the ledger write failed', async () => {
    let failures = 1;
    const ledger = (real: Ledger): Partial<Ledger> => ({
      disposed: (...args) => (failures-- > 0 ? broken() : real.disposed(...args)),
    });
    const { place, intake } = await acceptedFile({ ...DELETE, ledger });
    const disposed = async () => {
      const [row] = await place.rows();
      return (await place.ledger.detail(row?.documentId ?? 0))?.files[0]?.disposed;
    };
    await intake.dispose(never);
    expect([await filesOf(place), await disposed()]).toEqual([[], null]);
    await intake.dispose(never);
    expect(await disposed()).toBe('deleted');
  });

  it('touches no file while the ledger cannot record the intent', async () => {
    const { place, file, bytes, intake } = await acceptedFile({
      ...DELETE,
      ledger: () => ({ disposing: broken }),
    });
    await place.drop('b.jpg');
    const before = await stat(file);
    await intake.dispose(never);
    expect(await readFile(file)).toEqual(bytes);
    expect((await stat(file)).ctimeMs).toBe(before.ctimeMs);
    expect(levels(place.log, 'originalNotDisposed')).toHaveLength(1);
  });

  it('has its file put back by the same run as soon as possible', async () => {
    let isBroken = true;
    const failing = () => Promise.reject(new Error('EIO'));
    const folder = (real: WatchedFolder): Partial<WatchedFolder> => ({
      archive: (...args) => (isBroken ? failing() : real.archive(...args)),
      putBack: (...args) => (isBroken ? failing() : real.putBack(...args)),
    });
    const { place, bytes, intake } = await acceptedFile({ ...ARCHIVE, folder });
    await intake.dispose(never);
    expect(await filesOf(place)).toEqual([expect.stringMatching(/^\.receiptd-aside-/)]);
    isBroken = false;
    await intake.dispose(never);
    expect(await filesOf(place)).toEqual([]);
    expect(await readFile(join(place.dir, 'archive', 'a.jpg'))).toEqual(bytes);
  });
});
