import { mkdirSync, readdirSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ThumbnailCache } from '../../../src/features/pictures/thumbnailCache.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { memoryDirectory } from '../../support/memoryDirectory.ts';
import { webpOf } from './webp.ts';
import { tempDir } from '../../support/tempDir.ts';
import type { Document } from '../../../src/core/domain/document.ts';
import { runErasureSweep } from '../../../src/features/pictures/erasureSweep.ts';
import { RecordedLog } from '../../support/recordedLog.ts';

const [A, B, C] = ['a', 'b', 'c'].map((digit) => digit.repeat(64)) as [string, string, string];

function place(limitBytes = 100) {
  const root = tempDir('thumbnails', memoryDirectory());
  const dir = join(root, 'thumbnails');
  const clock = new FakeClock();
  const open = (limit = limitBytes) => new ThumbnailCache({ dir, limitBytes: limit, clock });
  const there = () => {
    const names = readdirSync(dir).toSorted();
    return names.map((name) => name.replace(/^([0-9a-f])\1{63}/, '$1'));
  };
  const used = () => readdirSync(dir).reduce((sum, name) => sum + statSync(join(dir, name)).size, 0);
  return { dir, clock, open, there, used };
}

it('the thumbnail cache keeps thumbnails across processes, private to its user', async () => {
  const { dir, open } = place();
  const bytes = webpOf(40);
  const cache = open();
  expect(await cache.read(A)).toBeNull();
  await cache.put(A, bytes);
  expect(await cache.read(A)).toEqual(bytes);
  expect(await open().read(A)).toEqual(bytes);
  if (process.platform === 'win32') return;
  expect(statSync(dir).mode & 0o777).toBe(0o700);
  expect(statSync(join(dir, `${A}.webp`)).mode & 0o777).toBe(0o600);
});

it('the thumbnail cache never exceeds its limit, and drops the least recently used', async () => {
  const { open, there, used } = place(100);
  const cache = open();
  await cache.put(A, webpOf(40));
  await cache.put(B, webpOf(40));
  await cache.read(A);
  await cache.put(C, webpOf(40));
  expect(there()).toEqual(['a.webp', 'c.webp']);
  await cache.put(B, webpOf(101));
  expect(there()).toEqual(['a.webp', 'c.webp']);
  await cache.put(C, webpOf(60));
  expect(used()).toBe(100);
});

it('the thumbnail cache still knows the last uses after a restart', async () => {
  const { dir, clock, open, there } = place(100);
  const before = open();
  for (const [sha256, hoursAgo] of [
    [A, 30],
    [B, 20],
  ] as const) {
    await before.put(sha256, webpOf(40));
    const at = clock.now() / 1_000 - hoursAgo * 3_600;
    utimesSync(join(dir, `${sha256}.webp`), at, at);
  }
  await open().read(A);
  await open().put(C, webpOf(40));
  expect(there()).toEqual(['a.webp', 'c.webp']);
});

it('the thumbnail cache applies a new limit at once, and keeps nothing when switched off', async () => {
  const { open, there } = place(100);
  const cache = open();
  await cache.put(A, webpOf(40));
  await cache.put(B, webpOf(40));
  await cache.take(50);
  expect(there()).toEqual(['b.webp']);
  await open(0).take(0);
  expect(there()).toEqual([]);
});

it('the thumbnail cache never returns an incomplete file, and removes it', async () => {
  const { dir, open, there } = place();
  await open().put(A, webpOf(40));
  truncateSync(join(dir, `${A}.webp`), 20);
  writeFileSync(join(dir, `${B}.webp`), Buffer.alloc(40));
  writeFileSync(join(dir, `${C}.webp.tmp`), webpOf(40));
  const cache = open();
  expect(await cache.read(A)).toBeNull();
  expect(await cache.read(B)).toBeNull();
  expect(there()).toEqual([]);
  await cache.put(A, webpOf(40));
  truncateSync(join(dir, `${A}.webp`), 20);
  expect(await cache.read(A)).toBeNull();
});

it('the thumbnail cache forgets permanently, even before it has read its directory, and leaves foreign files alone', async () => {
  const { dir, open, there } = place();
  const cache = open();
  await cache.put(A, webpOf(40));
  await cache.put(B, webpOf(40));
  await open().forget(A);
  await cache.forget(B);
  await cache.forget(C);
  expect(await cache.read(B)).toBeNull();
  expect(there()).toEqual([]);
  writeFileSync(join(dir, 'notes.txt'), 'mine');
  mkdirSync(join(dir, `${C}.webp`));
  await open(0).take(0);
  expect(there()).toEqual(['c.webp', 'notes.txt']);
  await expect(cache.forget('../ledger')).rejects.toThrow('not a hash');
});

const [OFFICE, SHOP] = ['office', 'shop'].map((uid) => ({ baseUrl: 'https://service.test', uid }));

it('the sweep removes pictures of images that another agent erased, and no others', async () => {
  const clock = new FakeClock();
  const paths: Record<string, string> = {
    'office a': '',
    'office b': '',
    'shop b': 'b.jpg',
    'office c': 'c.jpg',
  };
  const kept = new Set(['a', 'b', 'c', 'd']);
  let isAway = true;
  const bySha256 = async ({ uid }: { uid: string }, sha256: string): Promise<Document | null> => {
    if (isAway) throw new Error('the ledger is away');
    const path = paths[`${uid} ${sha256}`];
    // The sweep uses only the path of a document.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return path === undefined ? null : ({ path } as Document);
  };
  const stop = new AbortController();
  const swept = runErasureSweep(
    {
      pictures: { hashes: async () => [...kept], forget: async (sha256) => void kept.delete(sha256) },
      ledger: { bySha256 },
      endpoints: () => [OFFICE!, SHOP!],
      clock,
      log: new RecordedLog(),
    },
    stop.signal,
  );
  await clock.advance(1);
  expect(kept.size).toBe(4);
  isAway = false;
  await clock.advance(6 * 60 * 60_000);
  expect([...kept]).toEqual(['b', 'c', 'd']);
  stop.abort();
  await swept;
});
