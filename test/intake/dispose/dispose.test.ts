import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DisposalWaits } from '../../../src/intake/dispose/disposalWaits.ts';
import { disposeAccepted } from '../../../src/intake/dispose/dispose.ts';
import type { WatchedFolder } from '../../../src/core/ports/folder.ts';
import { pagePath } from '../../../src/core/domain/pages.ts';
import { sha256 } from '../../../src/core/sha256.ts';
import { OFFICE } from '../../flow/sending.ts';
import { watchingPlace } from '../watching.ts';
import { acceptedFile, ARCHIVE, DELETE, filesOf, never } from './disposing.ts';

const HOUR = 3_600_000;

describe('the original of an accepted document', () => {
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
    const limits: number[] = [];
    const folder = (real: WatchedFolder): Partial<WatchedFolder> => ({
      read: (path, limit, options) => {
        limits.push(limit);
        return real.read(path, limit, options);
      },
    });
    const { place, bytes, file, intake } = await acceptedFile({ ...DELETE, folder });
    await writeFile(file, Buffer.alloc(bytes.length + 1));
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

  it('causes no error and no wait if it is moved away during its disposal', async () => {
    const place = await watchingPlace();
    await place.drop('a.jpg', 'a');
    await place.drop('b.jpg', 'b');
    await place.once(ARCHIVE);
    await place.acceptAll();
    const { folder, settings } = place.create({
      ...ARCHIVE,
      folder: (real) => ({
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
});
