import sharp from 'sharp';
import { expect, it } from 'vitest';
import { isTurned } from '../../../src/intake/image/orientation.ts';

async function jpeg(orientation?: number): Promise<Buffer> {
  const image = sharp({ create: { width: 8, height: 4, channels: 3, background: 'white' } }).jpeg();
  return (orientation === undefined ? image : image.withMetadata({ orientation })).toBuffer();
}

it.each([
  [undefined, false],
  [1, false],
  [2, true],
  [3, true],
  [6, true],
  [8, true],
])('a JPEG with EXIF orientation %s needs turning: %s', async (orientation, expected) => {
  expect(isTurned(await jpeg(orientation))).toBe(expected);
});

it('truncated or arbitrary bytes cause no error', async () => {
  const whole = await jpeg(6);
  for (let length = 0; length < whole.length; length += 1)
    expect([true, false]).toContain(isTurned(whole.subarray(0, length)));
  expect(isTurned(Buffer.alloc(1_000, 0xff))).toBe(false);
});
