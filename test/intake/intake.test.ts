import { chmod, copyFile, mkdir, rename, symlink, unlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ReceiptdError } from '../../src/core/domain/errors.ts';
import { SHOP } from '../flow/sending.ts';
import { drawReceipt } from '../support/images.ts';
import { countingReads, watchingPlace } from './watching.ts';
import { toMessage } from '../../src/core/domain/why.ts';

describe('a file that is not an accepted image', () => {
  it('is rejected with a reason, but only after the long quiet time', async () => {
    const place = await watchingPlace();
    const { intake } = await place.watch();
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
        message: toMessage({ is: 'notAccepted', type: 'pdf' }),
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
  it('is not read again if unchanged', async () => {
    const place = await watchingPlace();
    for (const name of ['a.jpg', 'b.jpg', 'c.jpg']) await place.drop(name);
    await place.once();
    const { count, folder } = countingReads();
    const { admitted } = await place.once({ folder });
    expect(count.reads).toBe(0);
    expect(admitted).toEqual([]);
    await utimes(join(place.scans, 'b.jpg'), new Date(), new Date());
    const touched = await place.once({ folder });
    expect(count.reads).toBe(1);
    expect(touched.admitted.map(({ kind }) => kind)).toEqual(['known']);
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
    await place.watch({ deps: { reconcileEveryMs: 24 * 3_600_000 } });
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

  it('stays skipped when its owner or mode changes, or it is restored from a copy; other content is sent', async () => {
    const place = await watchingPlace();
    const skip = { settings: { existing: { kind: 'skip' } } } as const;
    const old = join(place.scans, 'old.jpg');
    const long = new Date(2020, 5, 1);
    await place.drop('old.jpg');
    await utimes(old, long, long);
    await place.once(skip);
    await chmod(old, 0o600);
    expect((await place.once(skip)).admitted).toEqual([]);
    await copyFile(old, `${old}.copy`);
    await rename(`${old}.copy`, old);
    await utimes(old, long, long);
    expect((await place.once(skip)).admitted).toEqual([]);
    expect(await place.states()).toEqual({ 'old.jpg': 'skipped' });
    await place.drop('old.jpg', 'another receipt');
    expect((await place.once(skip)).admitted).toHaveLength(1);
  });

  it('is no such file if it was written since the folder is watched, though its first listing comes later; a new owner, mode or name makes no old file new', async () => {
    const place = await watchingPlace();
    const watchedSince = place.clock.now() - 60_000;
    const at = async (name: string, seconds: number): Promise<void> => {
      await place.drop(name);
      const time = watchedSince / 1_000 + seconds;
      await utimes(join(place.scans, name), time, time);
    };
    // Setting a file's times also makes its change time new, as chown, chmod and mv do.
    await at('before.jpg', -1);
    await at('while waiting.jpg', 1);
    await at('wrong clock.jpg', 1e9);
    await place.once({ settings: { existing: { kind: 'skip' } }, deps: { watchedSince } });
    expect(await place.states()).toEqual({
      'before.jpg': 'skipped',
      'while waiting.jpg': 'queued',
      'wrong clock.jpg': 'skipped',
    });
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

it('a single run reports that the ledger cannot be written, not that the folder cannot be listed', async () => {
  const place = await watchingPlace();
  await place.drop('a.jpg');
  const trouble = { code: 'DISK_FULL', message: 'The disk is full.', hint: 'Free some space.' } as const;
  const refused = () => Promise.reject(new ReceiptdError({ code: trouble.code, message: trouble.message }));
  const once = place.once({
    ledger: (real) => ({
      storage: { ...real.storage, trouble: () => trouble },
      folderMark: refused,
      setFolderMark: refused,
    }),
  });
  await expect(once).rejects.toMatchObject(trouble);
});

describe('an image with a long run of zeros', () => {
  it.each([
    ['is incomplete if a decoder misses what stands there', false, 'incomplete'],
    ['is sent if a decoder misses nothing', true, 'queued'],
    ['is sent if no decoder can tell', null, 'queued'],
  ])('%s', async (_what, answer, state) => {
    const place = await watchingPlace();
    const bytes = await place.drop('holed.jpg');
    const padding = Buffer.concat([Buffer.from([0xff, 0xe1, 0x08, 0x02]), Buffer.alloc(2_048)]);
    await writeFile(
      join(place.scans, 'holed.jpg'),
      Buffer.concat([bytes.subarray(0, 2), padding, bytes.subarray(2)]),
    );
    await place.drop('whole.jpg');
    const asked: string[] = [];
    const isWhole = async (_bytes: Buffer, type: string) => {
      asked.push(type);
      return answer;
    };
    await place.once({ deps: { isWhole } });
    expect(await place.states()).toEqual({ 'holed.jpg': state, 'whole.jpg': 'queued' });
    expect(asked).toContain('jpeg');
  });
});

it('gives back the memory of files that are rejected or incomplete, and of no image that is admitted', async () => {
  const place = await watchingPlace();
  const given: number[] = [];
  const buffers = { giveBack: (bytes: Buffer): void => void given.push(bytes.length) };
  const { admitted } = place.start({ deps: { buffers } });
  const image = await drawReceipt({ type: 'jpeg', seed: 'whole' });
  const part = image.subarray(0, image.length / 2);
  await writeFile(join(place.scans, 'whole.jpg'), image);
  await writeFile(join(place.scans, 'part.jpg'), part);
  await writeFile(join(place.scans, 'text.jpg'), 'This is no image.');
  await place.clock.advanceUntil(() => admitted.length === 1 && new Set(given).size === 2, 500);
  expect(new Set(given)).toEqual(new Set([part.length, 'This is no image.'.length]));
});
