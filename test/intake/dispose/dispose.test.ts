import { open, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { WatchedFolder } from '../../../src/core/ports/folder.ts';
import { pagePath } from '../../../src/core/domain/pages.ts';
import { sha256 } from '../../../src/core/sha256.ts';
import { OFFICE } from '../../flow/sending.ts';
import { watchingPlace } from '../watching.ts';
import { acceptedFile, ARCHIVE, DELETE, disposalOf, filesOf, levels, never } from './disposing.ts';

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
    const first = { ...file, path: pagePath('a.pdf', 1) };
    const image = {
      sha256: sha256(Buffer.from('page')),
      type: 'jpeg',
      lane: 'fresh',
      naming: ['a-1'],
    } as const;
    await ledger.admit({ endpoint: OFFICE, file: first, ...image, at, page });
    await ledger.notePage(split, 2, { reason: 'BLANK', message: 'Page 2 is blank.', at });
    await ledger.endSplit(split, { pages: 2, reason: null, message: null, policy: null, at });
    await place.acceptAll();
    await intake.dispose(never);
    expect(await filesOf(place)).toEqual(['a.pdf']);
    expect(levels(place.log, 'originalStaysForBlankPages')).toEqual(['info']);
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

  it.runIf(process.platform === 'linux')('stays while a program has it open for writing', async () => {
    const { place, file, intake } = await acceptedFile(DELETE);
    const reader = await open(file, 'r');
    const writer = await open(file, 'r+');
    await intake.dispose(never);
    expect(await filesOf(place)).toEqual(['a.jpg']);
    expect(levels(place.log, 'originalNotDisposed')).toEqual(['warn']);
    await writer.close();
    await place.clock.advance(HOUR);
    await intake.dispose(never);
    await reader.close();
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
        setAside: async (path) => {
          if (path === 'a.jpg') await rename(join(place.scans, path), join(place.dir, path));
          return real.setAside(path);
        },
      }),
    });
    const { ledger, clock, log } = place;
    const disposal = await disposalOf({ folder, settings, ledger, clock, log });
    await disposal.run(false, never);
    await clock.advance(HOUR);
    expect(disposal.isDue).toBe(false);
    expect(levels(log, 'originalNotDisposed')).toEqual([]);
    expect(await filesOf(place)).toEqual([]);
    expect(await ledger.begunDisposals(place.scans)).toEqual([]);
  });
});
