import { chmod, chown, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ReceiptdError } from '../../../src/core/domain/errors.ts';
import { DisposalWaits } from '../../../src/intake/dispose/disposalWaits.ts';
import { disposeAccepted, recoverAside } from '../../../src/intake/dispose/dispose.ts';
import { OriginalsRule } from '../../../src/intake/dispose/originalsRule.ts';
import type { FolderSettings } from '../../../src/core/domain/settings.ts';
import type { WatchedFolder } from '../../../src/core/ports/folder.ts';
import type { Ledger } from '../../../src/core/ports/ledger.ts';
import { pagePath } from '../../../src/core/domain/pages.ts';
import { sha256 } from '../../../src/core/sha256.ts';
import { OFFICE } from '../../delivery/sending.ts';
import { drawReceipt } from '../../support/images.ts';
import { asOrdinaryUser, ordinaryOwner } from '../../support/ordinaryUser.ts';
import { watchingPlace, type WatchingPlace } from '../watching.ts';

const HOUR = 3_600_000;
const never = new AbortController().signal;
const ARCHIVE = { settings: { afterUpload: 'archive' } } as const;
const DELETE = { settings: { afterUpload: 'delete' } } as const;

async function filesOf(place: WatchingPlace): Promise<string[]> {
  return (await readdir(place.scans)).toSorted();
}

describe('the original of an accepted document', () => {
  it('is archived after the ledger has recorded the acceptance, not before', async () => {
    const place = await watchingPlace();
    const bytes = await place.drop('a.jpg');
    const { intake } = await place.once(ARCHIVE);
    await intake.dispose(never);
    expect(await filesOf(place)).toEqual(['a.jpg']);
    await place.acceptAll();
    await intake.dispose(never);
    expect(await filesOf(place)).toEqual([]);
    expect(await readFile(join(place.dir, 'archive', 'a.jpg'))).toEqual(bytes);
    expect(await place.rows()).toMatchObject([{ archivedTo: join(place.dir, 'archive', 'a.jpg') }]);
    expect((await place.once(ARCHIVE)).admitted).toEqual([]);
  });

  it('is deleted after the ledger has recorded the acceptance, not before', async () => {
    const place = await watchingPlace();
    await place.drop('a.jpg');
    const { intake } = await place.once(DELETE);
    await intake.dispose(never);
    expect(await filesOf(place)).toEqual(['a.jpg']);
    await place.acceptAll();
    await intake.dispose(never);
    expect(await filesOf(place)).toEqual([]);
    await expect(readdir(join(place.dir, 'archive'))).rejects.toThrow('ENOENT');
    expect((await place.once(DELETE)).admitted).toEqual([]);
  });

  it('waits for a result with one of the configured statuses', async () => {
    const place = await watchingPlace();
    await place.drop('a.jpg');
    const options = { settings: { afterUpload: 'archive', afterUploadOn: ['DONE'] } } as const;
    const { intake } = await place.once(options);
    await place.acceptAll();
    await intake.dispose(never);
    const [document] = await place.rows();
    const post = async (status: string) =>
      place.ledger.recordResult({
        at: place.clock.now(),
        baseUrl: document?.baseUrl ?? '',
        uid: null,
        name: document?.name ?? '',
        status,
        payload: Buffer.from(status),
      });
    await post('READ');
    await intake.dispose(never);
    expect(await filesOf(place)).toEqual(['a.jpg']);
    await post('DONE');
    await intake.dispose(never);
    expect(await filesOf(place)).toEqual([]);
  });

  it('stays where it is by default', async () => {
    const place = await watchingPlace();
    await place.drop('a.jpg');
    const { intake } = await place.once();
    await place.acceptAll();
    await intake.dispose(never);
    expect(await filesOf(place)).toEqual(['a.jpg']);
  });

  it('stays if it has changed since, and becomes a new document', async () => {
    const place = await watchingPlace();
    await place.drop('a.jpg', 'first');
    const { intake } = await place.once(DELETE);
    await place.acceptAll();
    const second = await place.drop('a.jpg', 'second');
    // A second run does not touch it either.
    for (let n = 0; n < 2; n += 1) await intake.dispose(never);
    expect(await readFile(join(place.scans, 'a.jpg'))).toEqual(second);
    expect(place.log.said('The original stays')).toHaveLength(1);
    const { admitted } = await place.once(DELETE);
    expect(admitted.map(({ kind }) => kind)).toEqual(['queued']);
  });

  it('stays if its blank pages were not sent, since they exist nowhere else', async () => {
    const place = await watchingPlace();
    const { folder, intake } = await place.once(DELETE);
    const bytes = await place.drop('a.pdf');
    const found = await folder.stat('a.pdf');
    if (found?.kind !== 'file') throw new Error('not there');
    const { ledger } = place;
    const at = place.clock.now();
    const file = { folder: place.scans, path: 'a.pdf', identity: found.identity };
    const split = await ledger.beginSplit({ endpoint: OFFICE, file, sha256: sha256(bytes), at });
    if (split === null) throw new Error('known');
    const page = { split: split.id, page: 1 };
    await ledger.admit({
      endpoint: OFFICE,
      file: { ...file, path: pagePath('a.pdf', 1) },
      sha256: sha256(Buffer.from('page')),
      type: 'jpeg',
      lane: 'fresh',
      at,
      naming: ['a-1'],
      page,
    });
    await ledger.notePage(split, 2, { reason: 'BLANK', message: 'Page 2 is blank.', at });
    await ledger.endSplit(split, { pages: 2, reason: null, message: null, policy: null, at });
    await place.acceptAll();
    await intake.dispose(never);
    expect(await filesOf(place)).toEqual(['a.pdf']);
    expect(place.log.said('The original stays, because its blank pages')).toHaveLength(1);
  });

  it('is not read into memory if the file there now is larger', async () => {
    const place = await watchingPlace();
    const bytes = await place.drop('a.jpg');
    const limits: number[] = [];
    const folder = (real: WatchedFolder): WatchedFolder => ({
      ...real,
      read: (path, limit, options) => {
        limits.push(limit);
        return real.read(path, limit, options);
      },
    });
    const { intake } = await place.once({ ...DELETE, folder });
    await place.acceptAll();
    await writeFile(join(place.scans, 'a.jpg'), Buffer.alloc(bytes.length + 1));
    await intake.dispose(never);
    expect(limits.at(-1)).toBe(bytes.length);
    expect(await filesOf(place)).toEqual(['a.jpg']);
  });

  it('overwrites nothing in the archive', async () => {
    const place = await watchingPlace();
    await mkdir(join(place.dir, 'archive'));
    await writeFile(join(place.dir, 'archive', 'a.jpg'), 'somebody else’s');
    const bytes = await place.drop('a.jpg');
    const { intake } = await place.once(ARCHIVE);
    await place.acceptAll();
    await intake.dispose(never);
    expect(await readFile(join(place.dir, 'archive', 'a.jpg'), 'utf8')).toBe('somebody else’s');
    const archived = (await readdir(join(place.dir, 'archive'))).filter((name) => name !== 'a.jpg');
    expect(archived).toHaveLength(1);
    expect(await readFile(join(place.dir, 'archive', archived[0] ?? ''))).toEqual(bytes);
  });

  it('is disposed of with its duplicates, wherever they are', async () => {
    const place = await watchingPlace();
    await place.drop('a.jpg', 'same');
    await place.drop('b.jpg', 'same');
    const { intake } = await place.once(DELETE);
    await intake.dispose(never);
    expect(await filesOf(place)).toEqual(['a.jpg', 'b.jpg']);
    await place.acceptAll();
    await intake.dispose(never);
    expect(await filesOf(place)).toEqual([]);
  });

  it('causes no error and no wait if it is moved away during its disposal', async () => {
    const place = await watchingPlace();
    await place.drop('a.jpg', 'a');
    await place.drop('b.jpg', 'b');
    await place.once(ARCHIVE);
    await place.acceptAll();
    const { folder, settings } = place.create({
      ...ARCHIVE,
      folder: (real) => ({
        ...real,
        setAside: async (path) => {
          if (path === 'a.jpg') await rename(join(place.scans, path), join(place.dir, path));
          return real.setAside(path);
        },
      }),
    });
    const { ledger, clock, log } = place;
    const waits = new DisposalWaits(clock);
    expect(await disposeAccepted({ folder, settings, ledger, clock, log }, { stays: 0, waits }, never)).toBe(
      true,
    );
    await clock.advance(HOUR);
    expect(waits.isOver).toBe(false);
    expect(log.said('An original could not be archived or deleted')).toEqual([]);
    expect(await filesOf(place)).toEqual([]);
    expect(await ledger.begunDisposals(place.scans)).toEqual([]);
  });

  it('is disposed of at the next start after a kill', async () => {
    const place = await watchingPlace();
    await place.drop('a.jpg');
    await place.once(DELETE);
    await place.acceptAll();
    place.start(DELETE);
    await place.clock.advanceUntil(async () => (await filesOf(place)).length === 0);
    expect((await place.rows()).map(({ state }) => state)).toEqual(['accepted']);
  });
});

describe('a kill in the middle of a disposal', () => {
  it('leaves the file aside until the next start puts it back and disposes of it', async () => {
    const place = await watchingPlace();
    const bytes = await place.drop('a.jpg');
    const { real } = await place.once(ARCHIVE);
    await place.acceptAll();
    await real.setAside('a.jpg');
    expect(await filesOf(place)).not.toContain('a.jpg');
    const { admitted } = place.start(ARCHIVE);
    await place.clock.advanceUntil(async () => (await filesOf(place)).length === 0);
    expect(await readFile(join(place.dir, 'archive', 'a.jpg'))).toEqual(bytes);
    expect(admitted.map(({ kind }) => kind).filter((kind) => kind === 'queued')).toEqual([]);
    expect(place.log.said('Put back a file')).toHaveLength(1);
  });

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
    const folder = (under: WatchedFolder): WatchedFolder => ({
      ...under,
      putBack: () => Promise.reject(new Error('EACCES')),
    });
    const { admitted } = await place.once({ folder });
    expect(admitted).toHaveLength(1);
    expect(place.log.said('A file that was set aside could not be put back')).toHaveLength(1);
  });
});

describe('originals that were accepted before afterUpload was set', () => {
  /** A document accepted under `keep`. */
  async function accepted() {
    const place = await watchingPlace();
    await place.drop('old.jpg', 'old');
    await place.once();
    await place.acceptAll();
    return place;
  }
  /** A run that admits existing files, has them accepted, and disposes of them. */
  async function run(place: WatchingPlace, settings: Partial<FolderSettings>) {
    const { intake } = await place.once({ settings });
    await place.acceptAll();
    await intake.dispose(never);
    return filesOf(place);
  }

  it.each(['archive', 'delete'] as const)('stay with %s, while later ones are disposed of', async (how) => {
    const place = await accepted();
    expect(await run(place, { afterUpload: how })).toEqual(['old.jpg']);
    expect(place.log.said('Files accepted before afterUpload was set stay')).toMatchObject([
      { fields: { files: 1, afterUpload: how } },
    ]);
    await place.drop('new.jpg', 'new');
    expect(await run(place, { afterUpload: how })).toEqual(['old.jpg']);
    expect(await run(place, { afterUpload: how })).toEqual(['old.jpg']);
    expect(place.log.said('Files accepted before')).toHaveLength(1);
  });

  it('are disposed of if the configuration includes them, and a log line counts them', async () => {
    const place = await accepted();
    expect(await run(place, { afterUpload: 'delete' })).toEqual(['old.jpg']);
    expect(await run(place, { afterUpload: 'delete', afterUploadExisting: 'include' })).toEqual([]);
    expect(place.log.said('afterUpload also applies to files')).toMatchObject([{ fields: { files: 1 } }]);
  });

  it('stay, like those accepted while originals were kept in between', async () => {
    const place = await watchingPlace();
    expect(await run(place, { afterUpload: 'delete' })).toEqual([]);
    await place.drop('a.jpg', 'a');
    expect(await run(place, { afterUpload: 'delete' })).toEqual([]);
    await place.drop('b.jpg', 'b');
    expect(await run(place, {})).toEqual(['b.jpg']);
    expect(await run(place, { afterUpload: 'delete' })).toEqual(['b.jpg']);
  });

  it('stay if only the awaited status changes', async () => {
    const place = await watchingPlace();
    await place.drop('a.jpg', 'a');
    expect(await run(place, { afterUpload: 'delete', afterUploadOn: ['DONE'] })).toEqual(['a.jpg']);
    expect(await run(place, { afterUpload: 'delete' })).toEqual(['a.jpg']);
  });

  it('stay although an older ledger was restored', async () => {
    const place = await accepted();
    // Accepted after the backup was taken, so the restored ledger does not know it.
    await place.drop('since.jpg', 'since');
    expect(await run(place, { afterUpload: 'delete' })).toEqual(['old.jpg', 'since.jpg']);
    await place.drop('new.jpg', 'new');
    expect(await run(place, { afterUpload: 'delete' })).toEqual(['old.jpg', 'since.jpg']);
  });

  it('stay after their folder was moved and they were renamed', async () => {
    const place = await accepted();
    await rename(place.scans, join(place.dir, 'moved'));
    await mkdir(place.scans);
    await rename(join(place.dir, 'moved', 'old.jpg'), join(place.dir, 'moved', 'renamed.jpg'));
    const moved = join(place.dir, 'moved');
    const { intake } = await place.once({ settings: { path: moved, afterUpload: 'delete' } });
    await place.acceptAll();
    await intake.dispose(never);
    expect(await readdir(moved)).toEqual(['renamed.jpg']);
  });

  it('are not distinguished from later ones until the whole folder has been scanned', async () => {
    const place = await watchingPlace();
    let isThrough = false;
    const { settings } = place.create(DELETE);
    const { ledger, clock, log } = place;
    const rule = new OriginalsRule({ settings, ledger, clock, log, isLookedThroughSince: () => isThrough });
    await rule.begin(false);
    expect(await rule.stays()).toBeNull();
    await place.drop('old.jpg');
    await place.once();
    isThrough = true;
    expect(await rule.stays()).toBe(await ledger.lastSighting());
  });

  it('include every file in a new folder, if the configuration says `leave`', async () => {
    const place = await watchingPlace();
    await place.drop('old.jpg', 'old');
    const leave = { afterUpload: 'delete', afterUploadExisting: 'leave' } as const;
    expect(await run(place, leave)).toEqual(['old.jpg']);
    await place.drop('new.jpg', 'new');
    expect(await run(place, leave)).toEqual(['old.jpg']);
  });
});

describe('an unfinished disposal', () => {
  async function begun(how: 'archived' | 'deleted') {
    const place = await watchingPlace();
    const bytes = await place.drop('a.jpg');
    const options = {
      ...(how === 'archived' ? ARCHIVE : DELETE),
    };
    await place.once(options);
    await place.acceptAll();
    const [disposal] = await place.ledger.toDispose(place.scans, {
      afterSightingId: 0,
      limit: 1,
      stays: 0,
      statuses: null,
    });
    await place.ledger.disposing(disposal?.sightingId ?? 0, how, place.clock.now());
    const sighting = async () => {
      const [row] = await place.rows();
      return (await place.ledger.detail(row?.documentId ?? 0))?.sightings[0];
    };
    return { place, bytes, options, file: join(place.scans, 'a.jpg'), sighting };
  }

  it('is recognized as ours once its file is gone, even if a scanner has reused the name', async () => {
    const { place, options, file, sighting } = await begun('deleted');
    await rm(file);
    const next = await place.drop('a.jpg', 'next');
    const { admitted } = await place.once(options);
    expect(await sighting()).toMatchObject({ disposed: 'deleted' });
    expect(admitted.map(({ kind }) => kind)).toEqual(['queued']);
    expect(await readFile(file)).toEqual(next);
    expect(await place.ledger.begunDisposals(place.scans)).toEqual([]);
  });

  it('is repeated while its file exists', async () => {
    const { place, bytes, options, file, sighting } = await begun('archived');
    const { intake } = await place.once(options);
    expect(await readFile(file)).toEqual(bytes);
    expect(await sighting()).toMatchObject({ disposed: null, goneAt: null });
    await intake.dispose(never);
    expect(await sighting()).toMatchObject({ disposed: 'archived' });
  });

  it('is reported if neither folder nor archive has the file', async () => {
    const { place, options, file, sighting } = await begun('archived');
    await rm(file);
    await mkdir(join(place.dir, 'archive'));
    await place.once(options);
    expect(place.log.said('A file whose archiving was interrupted')).toMatchObject([{ level: 'error' }]);
    expect(await sighting()).toMatchObject({ disposed: null, archivedTo: null });
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
    const { place, bytes, options, file, sighting } = await begun('archived');
    await rm(file);
    await place.once(options);
    expect(place.log.said('The outcome of an interrupted')).toMatchObject([{ level: 'warn' }]);
    expect(await place.ledger.begunDisposals(place.scans)).toHaveLength(1);
    const archived = join(place.dir, 'archive', 'a.jpg');
    await mkdir(join(place.dir, 'archive'));
    await writeFile(archived, bytes);
    const { intake } = await place.once(options);
    await intake.dispose(never);
    expect(await sighting()).toMatchObject({ disposed: 'archived', archivedTo: archived });
  });

  it('waits while another folder is in place of its own', async () => {
    const { place, options, sighting } = await begun('deleted');
    const { folder, settings } = place.create({
      ...options,
      folder: (real) => ({
        ...real,
        leftAside: async () => {
          await rename(place.scans, `${place.scans}.away`);
          await mkdir(place.scans);
          return [];
        },
      }),
    });
    await recoverAside({ folder, settings, ledger: place.ledger, clock: place.clock, log: place.log }, never);
    expect(await sighting()).toMatchObject({ disposed: null, goneAt: null });
    expect(await place.ledger.begunDisposals(place.scans)).toHaveLength(1);
  });

  it('waits while its file is being written', async () => {
    const { place, options, sighting } = await begun('deleted');
    const folder = (real: WatchedFolder): WatchedFolder => ({
      ...real,
      read: async () => ({ kind: 'changed' }),
    });
    const { folder: written, settings } = place.create({ ...options, folder });
    const { ledger, clock, log } = place;
    await recoverAside({ folder: written, settings, ledger, clock, log }, never);
    expect(await sighting()).toMatchObject({ disposed: null, goneAt: null });
    expect(await place.ledger.begunDisposals(place.scans)).toHaveLength(1);
  });

  it('is completed by the same run if only the ledger write failed', async () => {
    const { place, options, file, sighting } = await begun('deleted');
    let failures = 1;
    const ledger = (real: Ledger): Ledger => ({
      ...real,
      disposed: (...args) => {
        if (failures === 0) return real.disposed(...args);
        failures -= 1;
        return Promise.reject(new ReceiptdError('LEDGER_WRITE_FAILED', 'The disk failed.'));
      },
    });
    const { intake } = await place.once({ ...options, ledger });
    await intake.dispose(never);
    await expect(readFile(file)).rejects.toThrow('ENOENT');
    expect(await sighting()).toMatchObject({ disposed: null });
    await intake.dispose(never);
    expect(await sighting()).toMatchObject({ disposed: 'deleted' });
  });

  it('touches no file while the ledger cannot record the intent', async () => {
    const place = await watchingPlace();
    const bytes = await place.drop('a.jpg');
    await place.drop('b.jpg');
    const before = await stat(join(place.scans, 'a.jpg'));
    const ledger = (real: Ledger): Ledger => ({
      ...real,
      disposing: () => Promise.reject(new ReceiptdError('LEDGER_WRITE_FAILED', 'The disk failed.')),
    });
    const { intake } = await place.once({ ...DELETE, ledger });
    await place.acceptAll();
    await intake.dispose(never);
    expect(await readFile(join(place.scans, 'a.jpg'))).toEqual(bytes);
    expect((await stat(join(place.scans, 'a.jpg'))).ctimeMs).toBe(before.ctimeMs);
    expect(place.log.said('An original could not be archived or deleted')).toHaveLength(1);
  });

  it('has its file put back by the same run as soon as possible', async () => {
    const place = await watchingPlace();
    const bytes = await place.drop('a.jpg');
    let broken = true;
    const folder = (real: WatchedFolder): WatchedFolder => {
      const failing = () => Promise.reject(new Error('EIO'));
      return {
        ...real,
        archive: (...args) => (broken ? failing() : real.archive(...args)),
        putBack: (...args) => (broken ? failing() : real.putBack(...args)),
      };
    };
    const { intake } = await place.once({ ...ARCHIVE, folder });
    await place.acceptAll();
    await intake.dispose(never);
    expect(await filesOf(place)).toEqual([expect.stringMatching(/^\.receiptd-aside-/)]);
    broken = false;
    await intake.dispose(never);
    expect(await filesOf(place)).toEqual([]);
    expect(await readFile(join(place.dir, 'archive', 'a.jpg'))).toEqual(bytes);
  });
});

describe('a file that cannot be disposed of', () => {
  /** Every attempt to dispose of it fails. */
  function failing(code: string, isMeant: (path: string) => boolean = () => true) {
    const tries: string[] = [];
    const folder = (real: WatchedFolder): WatchedFolder => ({
      ...real,
      setAside: async (path) => {
        if (!isMeant(path)) return real.setAside(path);
        tries.push(path);
        throw Object.assign(new Error(code), { code });
      },
    });
    return { tries, folder };
  }

  it('waits some minutes, while others continue', async () => {
    const place = await watchingPlace();
    await place.drop('a.jpg');
    await place.once(DELETE);
    await place.acceptAll();
    const { tries, folder } = failing('EPERM', (path) => path === 'a.jpg');
    const { intake, admitted, watching } = place.start({ ...DELETE, folder });
    await watching();
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

  it('is reported once for each cause while the first file waits', async () => {
    const place = await watchingPlace();
    for (const name of ['a.jpg', 'b.jpg', 'c.jpg']) await place.drop(name);
    const { tries, folder } = failing('EPERM');
    const { intake } = await place.once({ ...DELETE, folder });
    await place.acceptAll();
    await intake.dispose(never);
    await place.clock.advance(1_000);
    await place.drop('d.jpg');
    await place.once();
    await place.acceptAll();
    await intake.dispose(never);
    expect(tries.toSorted()).toEqual(['a.jpg', 'b.jpg', 'c.jpg', 'd.jpg']);
    const said = place.log.said('An original could not be archived or deleted');
    expect(said.map(({ level }) => level)).toEqual(['warn']);
  });

  it('stops the others if the whole archive or folder is unavailable', async () => {
    const place = await watchingPlace();
    for (const name of ['a.jpg', 'b.jpg']) await place.drop(name);
    await place.once();
    await place.acceptAll();
    const { tries, folder: wrap } = failing('EROFS');
    const { folder, settings } = place.create({ ...DELETE, folder: wrap });
    const { ledger, clock, log } = place;
    const deps = { folder, settings, ledger, clock, log };
    expect(await disposeAccepted(deps, { stays: 0, waits: new DisposalWaits(clock) }, never)).toBe(false);
    expect(tries).toHaveLength(1);
  });
});

describe('files waiting for another attempt', () => {
  it('are limited in number; beyond the limit the whole folder waits', async () => {
    const { clock } = await watchingPlace();
    const waits = new DisposalWaits(clock);
    for (let id = 0; id < 1_000; id += 1) expect(waits.add(id)).toBe(true);
    expect(waits.add(1_000)).toBe(false);
    expect([waits.has(999), waits.has(1_000), waits.isOver]).toEqual([true, false, false]);
    await clock.advance(300_000);
    expect([waits.has(999), waits.isOver]).toEqual([false, true]);
    waits.end();
    expect([waits.add(1_000), waits.isOver]).toEqual([true, false]);
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
      const { stop, watching } = place.start(ARCHIVE);
      await watching();
      const failures = () => place.log.said('An original could not be archived or deleted').length;
      await place.clock.advanceUntil(() => failures() === 1);
      expect(await readFile(join(place.scans, 'a.jpg'))).toEqual(bytes);
      // The attempt touched the file, so it is read again, which must not trigger another attempt at once.
      for (let i = 0; i < 40; i += 1)
        await place.clock.advanceUntil(() => true).then(() => place.clock.advance(5_000));
      expect(failures()).toBe(1);
      await place.clock.advanceUntil(() => failures() === 2, 5_000);
      await chmod(archive, 0o700);
      await place.clock.advanceUntil(async () => (await filesOf(place)).length === 0, 5_000);
      expect(await readFile(join(archive, 'a.jpg'))).toEqual(bytes);
      await stop();
    });
  });
});
