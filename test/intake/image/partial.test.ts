import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { IMAGE_TYPES } from '../../../src/core/domain/imageType.ts';
import { createImageInspector } from '../../../src/intake/image/inspect.ts';
import { drawMultiPageTiff, preallocated } from '../../support/images.ts';
import { isEveryCase } from '../../support/everyCase.ts';
import { drawFixtures } from './fixtures.ts';

const inspector = createImageInspector();
const fixtures = await drawFixtures();
const MOST_CUTS = isEveryCase ? 5_000 : 300;
/** A file with fewer bytes may not have a type yet. */
const TINY = 18;

/** Describes a part of a file that was taken for complete or for another type; null if it was judged correctly. */
async function mistake(part: Buffer, type: string, written: number): Promise<string | null> {
  const seen = await inspector.inspect(part);
  const verdict = seen.type === null ? 'no type' : `${seen.type} ${seen.structure}`;
  const right = verdict === `${type} incomplete` || (written < TINY && verdict === 'no type');
  return right ? null : `${verdict} with ${written} bytes written`;
}

/** The wrong verdicts about all these parts. */
async function mistakes(
  type: string,
  points: readonly number[],
  part: (at: number) => Buffer,
): Promise<string[]> {
  const all: string[] = [];
  for (const at of points) {
    const found = await mistake(part(at), type, at);
    if (found !== null) all.push(found);
  }
  return all;
}

/** Every offset of a small file; samples of a large one, and every offset near its end. */
function cuts(length: number, most: number): number[] {
  const step = Math.max(1, Math.floor(length / most));
  const points = new Set<number>();
  for (let at = 0; at < length; at += step) points.add(at);
  for (let at = Math.max(0, length - 40); at < length; at += 1) points.add(at);
  return [...points];
}

test('every type of image has a fixture', () => {
  expect(new Set(fixtures.map(({ type }) => type))).toEqual(new Set(IMAGE_TYPES));
});

describe('a truncated file is never complete', () => {
  test.each(fixtures)('$name', async ({ type, bytes }) => {
    const points = cuts(lengthThatMatters(type, bytes), MOST_CUTS);
    expect(await mistakes(type, points, (at) => bytes.subarray(0, at))).toEqual([]);
  });

  const receipts = path.resolve(import.meta.dirname, '../../../../shared/receipts');
  test.skipIf(!existsSync(receipts))('real receipts', async () => {
    const files = readdirSync(receipts).filter((name) => name.endsWith('.jpg'));
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) {
      const bytes = readFileSync(path.join(receipts, file));
      expect(await inspector.inspect(bytes)).toEqual({ type: 'jpeg', structure: 'complete' });
      // They may have bytes after their end marker.
      const end = bytes.lastIndexOf(Buffer.from([0xff, 0xd9])) + 2;
      expect(await mistakes('jpeg', cuts(end, isEveryCase ? 30 : 6), (at) => bytes.subarray(0, at))).toEqual(
        [],
      );
    }
  });
});

/** The line feed after %%EOF is not part of a PDF's structure. */
function lengthThatMatters(type: string, bytes: Buffer): number {
  return type === 'pdf' ? bytes.length - 1 : bytes.length;
}

describe('a preallocated file filled up with zeros is never complete', () => {
  // Only formats that can tell; comments in src/intake/image/structure say which cannot.
  test.each(fixtures.filter(({ type }) => ['jpeg', 'png', 'gif', 'pdf'].includes(type)))(
    '$name',
    async ({ type, bytes }) => {
      expect(await zerosMistaken(type, bytes, lengthThatMatters(type, bytes))).toEqual([]);
    },
  );

  test('TIFF whose directory comes last', async () => {
    const { bytes } = fixtures.find(({ name }) => name === 'TIFF')!;
    const directory = bytes.readUInt32LE(4);
    const lastEntry = directory + 2 + 12 * (bytes.readUInt16LE(directory) - 1);
    expect(await zerosMistaken('tiff', bytes, lastEntry)).toEqual([]);
  });

  test('TIFF whose directory comes first, if its data is compressed', async () => {
    const layout = { directory: 'before', compression: 'deflate', rowsPerStrip: 8 } as const;
    const bytes = drawMultiPageTiff('zeros', 2, layout);
    expect(await zerosMistaken('tiff', bytes, bytes.length - 4)).toEqual([]);
  });
});

function zerosMistaken(type: string, bytes: Buffer, end: number): Promise<string[]> {
  // If only zeros are missing, the file is complete.
  const points = cuts(end, MOST_CUTS).filter((at) => !preallocated(bytes, at).equals(bytes));
  return mistakes(type, points, (at) => preallocated(bytes, at));
}

describe('hostile bytes', () => {
  const noise = fc.uint8Array({ maxLength: 64 });
  const edits = fc.array(fc.tuple(fc.nat(), fc.oneof(fc.constantFrom(0, 1, 0x7f, 0x80, 0xff), fc.nat(255))), {
    minLength: 1,
    maxLength: 12,
  });

  test.each(fixtures)('$name with damage is judged without throwing', async ({ bytes, name, type }) => {
    const seed = createHash('sha256').update(name).digest().readInt32BE(0);
    await fc.assert(
      fc.asyncProperty(
        edits,
        fc.double({ min: 0, max: 1, noNaN: true }),
        noise,
        async (changes, cut, more) => {
          const file = Buffer.from(bytes);
          // Headers hold lengths and offsets, so most of the damage goes there.
          for (const [at, value] of changes)
            file[at % 2 ? at % Math.min(200, file.length) : at % file.length] = value;
          const hostile = Buffer.concat([file.subarray(0, Math.ceil(cut * file.length)), more]);
          const seen = await inspector.inspect(hostile);
          expect('detail' in seen ? seen.detail : seen.structure).not.toBe('');
          const date = await inspector.capturedAt(hostile, type);
          expect(Number.isNaN(date?.getTime())).toBe(false);
        },
      ),
      { numRuns: isEveryCase ? 500 : 50, seed },
    );
  });
});
