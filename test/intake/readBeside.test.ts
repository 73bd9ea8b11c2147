import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { createHashing } from '../../src/intake/image/hashing.ts';
import { createImageInspector } from '../../src/intake/image/inspect.ts';
import { sha256 } from '../../src/core/sha256.ts';
import { ImageBuffers } from '../../src/keeper/imageBuffers.ts';
import type { FileRead, ReadBeside } from '../../src/core/ports/folder.ts';
import { compile } from '../support/scripts.ts';
import { drawReceipt, withTrailer } from '../support/images.ts';
import { watchingPlace } from './watching.ts';

let program: string;
beforeAll(async () => {
  program = fileURLToPath((await compile('wiring/hashThread.ts')).url);
});

/** An intake whose large images are read and hashed in a thread; `before` runs ahead of each read. */
async function readingBeside(before: (file: string) => Promise<void> = async () => {}) {
  const place = await watchingPlace();
  const { hash, readBeside: real } = createHashing(program, { few: 0 });
  const buffers = new ImageBuffers();
  const reads: [size: number, kind: FileRead['kind'] | undefined][] = [];
  const readBeside: ReadBeside = async (file, size, take) => {
    await before(file);
    const read = await real(file, size, take);
    reads.push([size, read?.kind]);
    return read;
  };
  const { admitted } = place.start({
    opened: { ownDirectory: place.dir, allocate: (size) => buffers.take(size), readBeside },
    deps: { inspector: createImageInspector(hash) },
  });
  return { place, admitted, reads };
}

/** Larger than what is read in the main thread. */
async function photograph(seed: string): Promise<Buffer> {
  return withTrailer(await drawReceipt({ type: 'jpeg', seed }), 200_000, seed.length);
}

describe('an image read by a thread', () => {
  it('is admitted with its bytes and their hash', async () => {
    const { place, admitted, reads } = await readingBeside();
    const images = await Promise.all(['a', 'bb', 'ccc'].map(photograph));
    for (const [n, bytes] of images.entries()) await writeFile(join(place.scans, `${n}.jpg`), bytes);
    await place.clock.advanceUntil(() => admitted.length === images.length);
    const sums = admitted.map(({ document }) => document.sha256);
    expect(sums.toSorted()).toEqual(images.map(sha256).toSorted());
    expect(reads.toSorted()).toEqual(images.map(({ length }) => [length, 'bytes']).toSorted());
  });

  it('is admitted once and complete although it grew after its size was checked', async () => {
    const bytes = await photograph('growing');
    let isFirst = true;
    const { place, admitted, reads } = await readingBeside(async (file) => {
      if (isFirst) await appendFile(file, 'more');
      isFirst = false;
    });
    await writeFile(join(place.scans, 'a.jpg'), bytes);
    await place.clock.advanceUntil(() => admitted.length > 0);
    const whole = Buffer.concat([bytes, Buffer.from('more')]);
    expect(admitted.map(({ document }) => document.sha256)).toEqual([sha256(whole)]);
    expect(reads).toEqual([
      [bytes.length, 'changed'],
      [whole.length, 'bytes'],
    ]);
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
