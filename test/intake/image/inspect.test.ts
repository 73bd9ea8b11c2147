import { deflateRawSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { createImageInspector } from '../../../src/intake/image/inspect.ts';
import { buildHeic } from '../../support/handmadeImages.ts';
import { drawReceipt, withTrailer } from '../../support/images.ts';
import { drawFixtures } from './fixtures.ts';

const inspector = createImageInspector();
const fixtures = await drawFixtures();

describe('inspecting the content', () => {
  test.each(fixtures)('recognizes $name as complete', async ({ type, bytes }) => {
    expect(await inspector.inspect(bytes)).toMatchObject({ type, structure: 'complete' });
  });

  test('reads a view into a larger buffer from where the view begins', async () => {
    const png = await drawReceipt({ type: 'png', seed: 'view' });
    const memory = new Uint8Array(png.length + 20).fill(7);
    memory.set(png, 11);
    const view = new Uint8Array(memory.buffer, 11, png.length);
    expect(await inspector.inspect(view)).toEqual({ type: 'png', structure: 'complete' });
  });

  const zip = Buffer.from('504b03041400000008000000000000000000000000000000000000000100000061', 'hex');
  const mp4 = Buffer.from('\0\0\0\x18ftypmp42\0\0\0\0mp42isom', 'latin1');
  test.each([
    ['an empty file', Buffer.alloc(0), 'the file is empty'],
    ['a text file', Buffer.from('Milk 1.20\nBread 2.40\nSum 3.60\n'), 'it looks like text'],
    ['a text in an old encoding', Buffer.from('Käse 1,20\r\nSumme 3,60', 'latin1'), 'it looks like text'],
    ['a text that begins like a BMP', Buffer.from('BMW invoice, sum 3,600.00'), 'it looks like text'],
    ['zeros', Buffer.alloc(5000), 'the file begins with zeros, so it is probably still being written'],
    ['a few bytes', Buffer.from([0xff, 0xd8]), 'it is too short to identify (2 bytes)'],
    ['a ZIP archive', Buffer.concat([zip, deflateRawSync('a')]), 'it is ZIP'],
    ['a film', mp4, 'it is MP4'],
    ['an AVIF', buildHeic({ picture: Buffer.alloc(9, 1), brands: ['avif', 'mif1'] }), 'it is AVIF'],
    [
      'an AVIF under a shared brand',
      buildHeic({ picture: mp4, brands: ['mif1', 'mif1', 'avif'] }),
      'it is AVIF',
    ],
    [
      'noise',
      Buffer.from('9c01e5037f02aa00bb11cc22dd33ee44ff5501', 'hex'),
      'its content is not of a known type',
    ],
  ])('names %s', async (_, bytes, detail) => {
    expect(await inspector.inspect(bytes)).toMatchObject({ type: null, detail });
  });

  const images = fixtures.filter(({ type }) => !['pdf', 'heic'].includes(type));
  test.each(images)(
    'finds no type that could be decoded in $name after a byte order mark or an ID3 tag',
    async ({ bytes }) => {
      for (const before of ['\xef\xbb\xbf', 'ID3\x04\0\0\0\0\0\0']) {
        const hidden = Buffer.concat([Buffer.from(before, 'latin1'), bytes]);
        expect((await inspector.inspect(hidden)).type).toBeNull();
      }
    },
  );

  test.each(['heic', 'heix', 'heim', 'heis', 'hevc', 'hevx', 'mif1', 'msf1'])(
    'recognizes the brand %s as HEIC',
    async (brand) => {
      const bytes = buildHeic({ picture: Buffer.alloc(9, 1), brands: [brand, brand] });
      expect(await inspector.inspect(bytes)).toEqual({ type: 'heic', structure: 'complete' });
    },
  );
});

describe('bytes after the end', () => {
  test.each(fixtures.filter(({ name }) => name !== 'HEIC, media data to the end'))(
    'leave $name complete if they are padding',
    async ({ type, bytes }) => {
      for (const count of [1, 7, 512, 70_000]) {
        expect(await inspector.inspect(withTrailer(bytes, count))).toMatchObject({
          type,
          structure: 'complete',
        });
      }
    },
  );

  test.each(fixtures.filter(({ type }) => ['jpeg', 'png', 'gif', 'tiff', 'bmp', 'webp'].includes(type)))(
    'leave $name complete if they are a vendor trailer',
    async ({ type, bytes }) => {
      expect(await inspector.inspect(withTrailer(bytes, 300, 0xff))).toMatchObject({
        type,
        structure: 'complete',
      });
    },
  );
});
