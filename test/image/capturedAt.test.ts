import { describe, expect, test } from 'vitest';
import { createImageInspector } from '../../src/image/inspect.ts';
import { buildExif, insertJpegSegment } from '../support/handmadeImages.ts';
import { drawReceipt } from '../support/images.ts';

const inspector = createImageInspector();
const moment = new Date(2024, 1, 29, 23, 4, 59);

describe('capture time', () => {
  test.each(['jpeg', 'png', 'tiff', 'webp', 'heic'] as const)(
    'is read from %s as local time',
    async (type) => {
      const bytes = await drawReceipt({ type, seed: 'captured', capturedAt: moment });
      expect(await inspector.capturedAt(bytes, type)).toEqual(moment);
    },
  );

  test.each(['jpeg', 'png', 'tiff', 'webp', 'heic', 'gif', 'bmp', 'pdf'] as const)(
    '%s without one',
    async (type) => {
      const bytes = await drawReceipt({ type, seed: 'not captured' });
      expect(await inspector.capturedAt(bytes, type)).toBeNull();
    },
  );

  test.each([
    '0000:00:00 00:00:00',
    '2023:02:29 10:00:00',
    '2024:13:01 10:00:00',
    '2024:01:01 24:00:00',
    '2024:01:01 10:61:00',
    '2024-01-01 10:00:00',
    '    :  :     :  :  ',
    'next Thursday, noon',
  ])('"%s" is no time', async (text) => {
    const jpeg = await drawReceipt({ type: 'jpeg', seed: 'odd' });
    const exif = buildExif({ capturedAt: moment });
    exif.write(text, 44, 'latin1');
    const odd = insertJpegSegment(jpeg, 0xe1, Buffer.concat([Buffer.from('Exif\0\0'), exif]));
    expect(await inspector.capturedAt(odd, 'jpeg')).toBeNull();
  });
});
