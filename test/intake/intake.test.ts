import {
  appendFile,
  chmod,
  chown,
  mkdir,
  rename,
  rm,
  rmdir,
  symlink,
  unlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sha256 } from '../../src/core/sha256.ts';
import { ReceiptdError } from '../../src/core/domain/errors.ts';
import type { WatchedFolder } from '../../src/core/ports/folder.ts';
import { settle } from '../support/fakeClock.ts';
import { drawMultiPageTiff, drawReceipt } from '../support/images.ts';
import { asOrdinaryUser, ordinaryOwner } from '../support/ordinaryUser.ts';
import { SHOP } from '../delivery/sending.ts';
import { createImageInspector } from '../../src/intake/image/inspect.ts';
import { hintsByHand, watchingPlace } from './watching.ts';

describe('a file that is being written', () => {
  it('is admitted once and complete if it arrives in ten pieces over ten seconds', async () => {
    const place = await watchingPlace();
    const { intake, admitted, watching } = place.start();
    await watching();
    const bytes = await drawReceipt({
      type: 'jpeg',
      seed: 'slow',
      exifThumbnail: true,
      width: 300,
      height: 500,
    });
    const piece = Math.ceil(bytes.length / 10);
    for (let i = 0; i < 10; i += 1) {
      await appendFile(join(place.scans, 'slow.jpg'), bytes.subarray(i * piece, (i + 1) * piece));
      if (i === 0) await place.clock.advanceUntil(() => intake.status.settling === 1);
      await place.clock.advance(1_000);
      expect(i === 9 || admitted.length === 0).toBe(true);
    }
    await place.clock.advanceUntil(() => admitted.length > 0);
    await place.clock.advance(20_000);
    expect(admitted).toHaveLength(1);
    expect(admitted[0]?.document.size).toBe(bytes.length);
  });

  it('is admitted with all its pages if it is a TIFF, because of the long quiet time', async () => {
    const place = await watchingPlace();
    const { intake, admitted, watching } = place.start();
    await watching();
    const two = drawMultiPageTiff('growing', 2);
    await writeFile(join(place.scans, 'a.tif'), two);
    await place.clock.advanceUntil(() => intake.status.settling === 1);
    await place.clock.advance(4_000);
    const three = drawMultiPageTiff('growing', 3);
    await writeFile(join(place.scans, 'a.tif'), three);
    await place.clock.advance(4_900);
    expect(admitted).toEqual([]);
    await place.clock.advanceUntil(() => admitted.length > 0);
    expect(admitted.map(({ document }) => document.size)).toEqual([three.length]);
  });

  it('is admitted with the bytes that were hashed, even if it changes just after they were read', async () => {
    const place = await watchingPlace();
    const first = await drawReceipt({ type: 'jpeg', seed: 'first' });
    const second = await drawReceipt({ type: 'jpeg', seed: 'second', width: 120 });
    await writeFile(join(place.scans, 'a.jpg'), first);
    let intruded = false;
    const given = hintsByHand('a.jpg');
    // The scanner writes the next scan, and its event arrives, between reading and judging.
    const folder = (real: WatchedFolder): WatchedFolder => ({
      ...real,
      read: async (...all) => {
        const read = await real.read(...all);
        if (!intruded) {
          intruded = true;
          await writeFile(join(place.scans, 'a.jpg'), second);
          await real.stat('a.jpg');
          given.hint();
        }
        return read;
      },
    });
    const inspector = createImageInspector();
    const { admitted } = place.start({
      folder,
      deps: {
        hints: given.hints,
        inspector: {
          ...inspector,
          inspect: async (bytes) => {
            await settle();
            return inspector.inspect(bytes);
          },
        },
      },
    });
    await place.clock.advance(2_000);
    await place.clock.advance(120_000);
    expect(admitted.map(({ document }) => document.sha256)).toContain(sha256(second));
    for (const bytes of [first, second]) {
      const sources = await place.ledger.sources(sha256(bytes));
      for (const { identity } of sources) expect(identity.size).toBe(bytes.length);
    }
  });

  it('is admitted although its last piece arrives while the previous one is judged', async () => {
    const place = await watchingPlace();
    const whole = await drawReceipt({ type: 'jpeg', seed: 'pieces' });
    await writeFile(join(place.scans, 'a.jpg'), whole.subarray(0, whole.length - 100));
    const given = hintsByHand('a.jpg');
    let intruded = false;
    const inspector = createImageInspector();
    const { admitted } = place.start({
      deps: {
        hints: given.hints,
        inspector: {
          ...inspector,
          inspect: async (bytes) => {
            if (!intruded) {
              intruded = true;
              await appendFile(join(place.scans, 'a.jpg'), whole.subarray(whole.length - 100));
              given.hint();
              await settle();
            }
            return inspector.inspect(bytes);
          },
        },
      },
    });
    await place.clock.advance(5_000);
    expect(admitted.map(({ document }) => document.size)).toEqual([whole.length]);
  });

  it('is reported if it stays incomplete, and admitted once it is complete', async () => {
    const place = await watchingPlace();
    const { intake, admitted, watching } = place.start();
    await watching();
    const whole = await drawReceipt({ type: 'jpeg', seed: 'cut' });
    await writeFile(join(place.scans, 'cut.jpg'), whole.subarray(0, whole.length / 2));
    await writeFile(join(place.scans, 'empty.jpg'), '');
    await place.clock.advanceUntil(() => intake.status.settling === 2);
    await place.clock.advance(595_000);
    expect(await place.states()).toEqual({});
    await place.clock.advance(10_000);
    expect(await place.states()).toEqual({ 'cut.jpg': 'incomplete', 'empty.jpg': 'incomplete' });
    expect(place.log.said('Not sent: incomplete')).toHaveLength(2);
    expect(intake.status.settling).toBe(0);
    await appendFile(join(place.scans, 'cut.jpg'), whole.subarray(whole.length / 2));
    await place.clock.advanceUntil(() => admitted.length === 1);
    expect(await place.states()).toEqual({ 'cut.jpg': 'queued', 'empty.jpg': 'incomplete' });
  });
});

describe('a file that is not an accepted image', () => {
  it('is rejected with a reason, but only after the long quiet time', async () => {
    const place = await watchingPlace();
    const { intake, watching } = place.start();
    await watching();
    await writeFile(join(place.scans, 'text.jpg'), 'Dear Sir or Madam');
    await place.clock.advanceUntil(() => intake.status.settling === 1);
    await place.clock.advance(4_500);
    expect(await place.states()).toEqual({});
    await place.clock.advance(1_000);
    expect(await place.rows()).toMatchObject([{ state: 'rejected', reason: 'DAMAGED', name: null }]);
  });

  it('is judged again once the configuration accepts its type', async () => {
    const place = await watchingPlace();
    await writeFile(join(place.scans, 'a.pdf'), await drawReceipt({ type: 'pdf', seed: 'a' }));
    await place.once();
    expect(await place.rows()).toMatchObject([
      {
        state: 'rejected',
        reason: 'PDF_NOT_ACCEPTED',
        message: expect.stringContaining('PDFs are not sent from this folder.'),
      },
    ]);
    await place.once();
    expect(place.log.said('Not sent')).toHaveLength(1);
    await place.once({ settings: { accept: ['jpeg', 'pdf'] } });
    expect(await place.states()).toEqual({ 'a.pdf': 'queued' });
  });

  it('is judged again once the size limit is raised', async () => {
    const place = await watchingPlace();
    const bytes = await place.drop('a.jpg');
    await place.once({ settings: { maxFileSize: bytes.length - 1 } });
    expect(await place.rows()).toMatchObject([{ state: 'rejected', reason: 'TOO_LARGE' }]);
    await place.once({ settings: { maxFileSize: bytes.length } });
    expect(await place.states()).toEqual({ 'a.jpg': 'queued' });
  });
});

describe('a known path', () => {
  it('with new bytes is a new document, while the old one keeps its name', async () => {
    const place = await watchingPlace();
    await place.drop('SCAN0001.jpg', 'monday');
    const { admitted, watching } = place.start();
    await watching();
    await place.clock.advanceUntil(() => admitted.length === 1);
    await place.drop('SCAN0001.jpg', 'tuesday');
    await place.clock.advanceUntil(() => admitted.length === 2);
    const names = admitted.map(({ kind, document }) => [kind, document.name]);
    expect(new Set(names.map(([, name]) => name)).size).toBe(2);
    expect(names.map(([kind]) => kind)).toEqual(['queued', 'queued']);
  });

  it('is not read again if unchanged', async () => {
    const place = await watchingPlace();
    for (const name of ['a.jpg', 'b.jpg', 'c.jpg']) await place.drop(name);
    await place.once();
    let reads = 0;
    const folder = (real: WatchedFolder): WatchedFolder => ({
      ...real,
      read: (...all) => {
        reads += 1;
        return real.read(...all);
      },
    });
    const { admitted } = await place.once({ folder });
    expect(reads).toBe(0);
    expect(admitted).toEqual([]);
    await utimes(join(place.scans, 'b.jpg'), new Date(), new Date());
    const touched = await place.once({ folder });
    expect(reads).toBe(1);
    expect(touched.admitted.map(({ kind }) => kind)).toEqual(['known']);
  });

  it('renamed while its document is queued keeps the document and its name', async () => {
    const place = await watchingPlace();
    await place.drop('a.jpg');
    const { admitted, watching } = place.start();
    await watching();
    await place.clock.advanceUntil(() => admitted.length === 1);
    await rename(join(place.scans, 'a.jpg'), join(place.scans, 'b.jpg'));
    await place.clock.advanceUntil(() => admitted.length === 2);
    expect(admitted[1]?.document).toMatchObject({
      id: admitted[0]?.document.id,
      name: admitted[0]?.document.name,
    });
    const sources = await place.ledger.sources(admitted[0]?.document.sha256 ?? '');
    expect(sources.map(({ path }) => path)).toContain('b.jpg');
  });
});

it('an image in another folder is a duplicate in the same endpoint, and a new document in another one', async () => {
  const place = await watchingPlace();
  await place.drop('a.jpg', 'same');
  await place.drop('sub/b.jpg', 'same');
  await place.once();
  const sub = join(place.scans, 'sub');
  const same = await place.once({ settings: { path: sub } });
  expect(same.admitted.map(({ kind }) => kind)).toEqual(['duplicate']);
  const other = await place.once({ settings: { path: sub, endpoint: SHOP } });
  expect(other.admitted).toEqual([]);
  await rename(join(sub, 'b.jpg'), join(sub, 'c.jpg'));
  const renamed = await place.once({ settings: { path: sub, endpoint: SHOP } });
  expect(renamed.admitted.map(({ kind, document }) => [kind, document.endpoint.uid])).toEqual([
    ['queued', 'shop'],
  ]);
});

describe('a known file that is replaced by something else', () => {
  const KINDS = {
    link: (file: string) => symlink('other.jpg', file),
    directory: (file: string) => mkdir(file),
  };

  async function replaced(kind: keyof typeof KINDS, scans: string): Promise<void> {
    await unlink(join(scans, 'a.jpg'));
    await KINDS[kind](join(scans, 'a.jpg'));
  }

  it.each(['link', 'directory'] as const)('(a %s) is gone at the next listing', async (kind) => {
    const place = await watchingPlace();
    for (const name of ['a.jpg', 'other.jpg']) await place.drop(name);
    await place.once();
    await replaced(kind, place.scans);
    await place.once();
    expect(await place.ledger.known({ folder: place.scans, path: 'a.jpg' })).toBeNull();
  });

  it.each(['link', 'directory'] as const)('(a %s) is gone at the event that reports it', async (kind) => {
    const place = await watchingPlace();
    for (const name of ['a.jpg', 'other.jpg']) await place.drop(name);
    const { watching } = place.start({ deps: { reconcileEveryMs: 24 * 3_600_000 } });
    await watching();
    await place.clock.advanceUntil(async () => (await place.rows()).length === 2);
    await replaced(kind, place.scans);
    const known = () => place.ledger.known({ folder: place.scans, path: 'a.jpg' });
    await place.clock.advanceUntil(async () => (await known()) === null);
    expect(await known()).toBeNull();
  });
});

describe('a file that exists when its folder is first watched', () => {
  it('is skipped if so configured, sent when that changes, and never sent twice', async () => {
    const place = await watchingPlace();
    await place.drop('old.jpg');
    await place.once({ settings: { existing: { kind: 'skip' } } });
    expect(await place.states()).toEqual({ 'old.jpg': 'skipped' });
    await place.drop('new.jpg');
    await place.once({ settings: { existing: { kind: 'skip' } } });
    expect(await place.states()).toEqual({ 'old.jpg': 'skipped', 'new.jpg': 'queued' });
    await place.once({ settings: { existing: { kind: 'send' } } });
    expect(await place.states()).toEqual({ 'old.jpg': 'queued', 'new.jpg': 'queued' });
    const again = await place.once({ settings: { existing: { kind: 'skip' } } });
    expect(again.admitted).toEqual([]);
    expect(await place.states()).toEqual({ 'old.jpg': 'queued', 'new.jpg': 'queued' });
  });

  it('is skipped if it is older than a date, and judged again when the date changes', async () => {
    const place = await watchingPlace();
    for (const year of [2020, 2022, 2024]) {
      await place.drop(`${year}.jpg`);
      await utimes(join(place.scans, `${year}.jpg`), new Date(year, 5, 1), new Date(year, 5, 1));
    }
    const since = (year: number) =>
      ({ existing: { kind: 'since', at: new Date(year, 0, 1).getTime(), text: `${year}-01-01` } }) as const;
    await place.once({ settings: since(2023) });
    expect(await place.states()).toEqual({
      '2020.jpg': 'skipped',
      '2022.jpg': 'skipped',
      '2024.jpg': 'queued',
    });
    await place.once({ settings: since(2021) });
    expect(await place.states()).toEqual({
      '2020.jpg': 'skipped',
      '2022.jpg': 'queued',
      '2024.jpg': 'queued',
    });
  });
});

describe('a folder', () => {
  it('is waited for while it is missing', async () => {
    const place = await watchingPlace();
    await rmdir(place.scans);
    const { intake, admitted, watching } = place.start();
    await place.clock.advance(60_000);
    expect(intake.status.state).toBe('missing');
    expect(place.log.said('The folder is not available')).toHaveLength(1);
    await mkdir(place.scans);
    await place.drop('a.jpg');
    await watching();
    await place.clock.advanceUntil(() => admitted.length === 1);
  });

  it('is listed and watched again after another folder has taken its place', async () => {
    const place = await watchingPlace();
    await place.drop('a.jpg');
    const { admitted, watching } = place.start();
    await watching();
    await place.clock.advanceUntil(() => admitted.length === 1);
    const other = join(place.dir, 'other');
    await mkdir(other);
    await writeFile(join(other, 'b.jpg'), await drawReceipt({ type: 'jpeg', seed: 'b' }));
    await rename(place.scans, join(place.dir, 'away'));
    await rename(other, place.scans);
    await place.clock.advanceUntil(() => admitted.length === 2);
    await place.drop('c.jpg');
    await place.clock.advanceUntil(() => admitted.length === 3);
    // The first folder returns, as a remounted share does, and its files are known.
    await rename(place.scans, other);
    await rename(join(place.dir, 'away'), place.scans);
    await place.clock.advanceUntil(() => admitted.length === 4);
    expect(admitted[3]?.document.id).toBe(admitted[0]?.document.id);
    expect((await place.rows()).filter(({ state }) => state === 'queued')).toHaveLength(3);
  });

  it('with an unreadable directory loses none of the files in it', async () => {
    const place = await watchingPlace();
    const { uid, gid } = ordinaryOwner();
    for (const path of [place.dir, place.scans]) await chown(path, uid, gid);
    await place.drop('sub/deep/a.jpg');
    await place.drop('b.jpg');
    for (const path of ['sub', 'sub/deep']) await chown(join(place.scans, path), uid, gid);
    await asOrdinaryUser(async () => {
      await place.once({ settings: { recursive: true } });
      await chmod(join(place.scans, 'sub'), 0);
      const { intake, admitted } = await place.once({ settings: { recursive: true } });
      expect(admitted).toEqual([]);
      expect(intake.unreadableDirs).toBe(1);
      expect(await place.ledger.known({ folder: place.scans, path: 'sub/deep/a.jpg' })).not.toBeNull();
      await chmod(join(place.scans, 'sub'), 0o700);
    });
    await rm(join(place.scans, 'sub'), { recursive: true });
    await place.once({ settings: { recursive: true } });
    expect(await place.ledger.known({ folder: place.scans, path: 'sub/deep/a.jpg' })).toBeNull();
    expect(await place.ledger.known({ folder: place.scans, path: 'b.jpg' })).not.toBeNull();
  });

  it('with an unreadable file reports it once, delays no others, and reads the file once it can', async () => {
    const place = await watchingPlace();
    const { uid, gid } = ordinaryOwner();
    for (const path of [place.dir, place.scans]) await chown(path, uid, gid);
    await place.drop('locked.jpg');
    await place.drop('open.jpg');
    await chmod(join(place.scans, 'locked.jpg'), 0);
    await asOrdinaryUser(async () => {
      const { admitted, watching, stop } = place.start();
      await watching();
      await place.clock.advanceUntil(() => admitted.length === 1);
      await place.clock.advance(600_000);
      expect(place.log.said('Not sent: unreadable')).toHaveLength(1);
      await stop();
    });
    await chown(join(place.scans, 'locked.jpg'), uid, gid);
    await chmod(join(place.scans, 'locked.jpg'), 0o600);
    await asOrdinaryUser(async () => {
      const { admitted } = await place.once();
      expect(admitted.map(({ kind }) => kind)).toEqual(['queued']);
    });
  });

  it('of 1,000 files keeps only a limited number in memory, and admits all', async () => {
    const place = await watchingPlace();
    const bytes = await drawReceipt({ type: 'png', seed: 'many', width: 4, height: 4 });
    for (let i = 0; i < 1_000; i += 1) {
      await writeFile(join(place.scans, `${i}.png`), Buffer.concat([bytes, Buffer.from(String(i))]));
    }
    const { intake, admitted, watching } = place.start();
    let most = 0;
    await place.clock.advanceUntil(() => {
      most = Math.max(most, intake.status.settling);
      return admitted.length === 1_000;
    }, 20);
    // The limit, plus the batch that was looked up when there was still room.
    expect(most).toBeGreaterThanOrEqual(500);
    expect(most).toBeLessThanOrEqual(500 + 256);
    await watching();
    expect((await place.ledger.counts()).reduce((sum, { count }) => sum + count, 0)).toBe(1_000);
  });

  it('can be stopped in the middle of a listing', async () => {
    const place = await watchingPlace();
    for (let i = 0; i < 1_000; i += 1) await writeFile(join(place.scans, `${i}.jpg`), 'not at rest');
    const { intake, stop } = place.start();
    // The settling queue is full, and the listing waits for room.
    await place.clock.advanceUntil(() => intake.status.settling >= 500, 1);
    await stop();
    expect(intake.status.state).toBe('starting');
    expect(place.clock.sleeping).toBe(0);
  });
});

it('hundreds of truncated files delay a good one by seconds only', async () => {
  const place = await watchingPlace();
  const whole = await drawReceipt({ type: 'jpeg', seed: 'cut' });
  for (let i = 0; i < 800; i += 1) {
    await writeFile(join(place.scans, `${i}.jpg`), whole.subarray(0, 500 + i));
  }
  await place.drop('zzz.jpg');
  const { admitted } = place.start();
  await place.clock.advanceUntil(() => admitted.length === 1);
  expect(place.clock.monotonic()).toBeLessThan(60_000);
});

it('a file waits while the ledger cannot be written, and nothing is lost', async () => {
  const place = await watchingPlace();
  let broken = true;
  await place.drop('a.jpg');
  const { admitted } = place.start({
    ledger: (real) => ({
      ...real,
      admit: async (admission) => {
        if (broken) throw new ReceiptdError('LEDGER_WRITE_FAILED', 'The disk is full.');
        return real.admit(admission);
      },
    }),
  });
  await place.clock.advance(60_000);
  expect(admitted).toEqual([]);
  broken = false;
  await place.clock.advance(6_000);
  expect(admitted).toHaveLength(1);
});

it('a single run reports that the ledger cannot be written, not that the folder cannot be listed', async () => {
  const place = await watchingPlace();
  await place.drop('a.jpg');
  const trouble = { code: 'DISK_FULL', message: 'The disk is full.', hint: 'Free some space.' } as const;
  const refused = () => Promise.reject(new ReceiptdError(trouble.code, trouble.message));
  const once = place.once({
    ledger: (real) => ({
      ...real,
      storage: { ...real.storage, trouble: () => trouble },
      folderMark: refused,
      setFolderMark: refused,
    }),
  });
  await expect(once).rejects.toMatchObject(trouble);
});

it('a file that disappears before it is at rest leaves no trace', async () => {
  const place = await watchingPlace();
  const { intake, admitted, watching } = place.start();
  await watching();
  await writeFile(join(place.scans, 'a.jpg'), 'half');
  await place.clock.advanceUntil(() => intake.status.settling === 1, 1);
  await unlink(join(place.scans, 'a.jpg'));
  await place.clock.advanceUntil(() => intake.status.settling === 0);
  expect(admitted).toEqual([]);
  expect(await place.rows()).toEqual([]);
});
