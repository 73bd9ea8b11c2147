import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { expect, it, onTestFinished } from 'vitest';
import { fill, photographs, small } from '../../bench/world/corpus.ts';

it('makes small receipts of the size asked for, each another image, all of which can be drawn', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'receiptd-bench-test-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  const bytes = await fill(dir, [await small(20_000)], 12);
  const names = await readdir(dir);
  const files = await Promise.all(names.map((name) => readFile(join(dir, name))));
  expect(bytes).toBe(12 * 20_000);
  expect(files.map(({ length }) => length)).toEqual(Array.from({ length: 12 }, () => 20_000));
  const digests = files.map((file) => createHash('sha256').update(file).digest('hex'));
  expect(new Set(digests).size).toBe(12);
  for (const file of files) await sharp(file, { failOn: 'warning' }).stats();
});

it('has photographs, or drawings of their kind', async () => {
  const { images } = await photographs();
  expect(images.length).toBeGreaterThanOrEqual(8);
  for (const image of images.slice(0, 2)) expect((await sharp(image).metadata()).format).toBe('jpeg');
});
