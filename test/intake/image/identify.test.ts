import * as fileType from 'file-type';
import { describe, expect, it } from 'vitest';
import { identify } from '../../../src/intake/image/identify.ts';
import { drawReceipt } from '../../support/images.ts';

/** The verdict of file-type. */
async function told(bytes: Buffer): Promise<string | undefined> {
  return (await fileType.fileTypeFromBuffer(bytes).catch(() => undefined))?.ext;
}

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
const chunk = (type: string, data = Buffer.alloc(0), length = data.length): Buffer => {
  const head = Buffer.alloc(8);
  head.writeInt32BE(length);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, data, Buffer.alloc(4)]);
};
const IHDR = chunk('IHDR', Buffer.alloc(13));

describe('a JPEG or a PNG', () => {
  it.each(['jpeg', 'png'] as const)('is recognized by its first bytes: %s', async (type) => {
    expect(await identify(await drawReceipt({ type, seed: 'plain' }))).toEqual({ type });
  });

  it('is recognized wherever file-type does so, whatever marker comes first', async () => {
    for (let marker = 0; marker < 256; marker += 1) {
      for (const length of [3, 4, 12, 40]) {
        const bytes = Buffer.alloc(length, 'ftypheic');
        bytes.set([0xff, 0xd8, 0xff, marker].slice(0, length));
        const ext = await told(bytes);
        const expected =
          ext === 'jpg'
            ? { type: 'jpeg' }
            : { type: null, detail: { is: 'other', type: 'JLS' }, content: 'image' };
        expect(await identify(bytes), `${marker} ${length}`).toEqual(expected);
      }
    }
  });

  it('is no JPEG if HEIC brands follow', async () => {
    const bytes = Buffer.from('\xff\xd8\xff\xe0ftypheic\0\0\0\0heic', 'latin1');
    expect(await identify(bytes)).toEqual({ type: 'heic' });
  });

  it.each<[string, Buffer[]]>([
    ['nothing', []],
    ['half a chunk', [IHDR.subarray(0, 7)]],
    ['a header and nothing else', [IHDR]],
    ['a header of another length', [chunk('IHDR', Buffer.alloc(12))]],
    ['no header', [chunk('IDAT', Buffer.alloc(5))]],
    ['text before a header', [chunk('tEXt', Buffer.alloc(5)), IHDR]],
    ['an animation', [IHDR, chunk('acTL', Buffer.alloc(8)), chunk('IDAT')]],
    ['what Apple writes', [chunk('CgBI', Buffer.alloc(4)), IHDR, chunk('IDAT')]],
    ['a negative length', [IHDR, chunk('tEXt', Buffer.alloc(5), -5)]],
    ['a length that leads out', [IHDR, chunk('tEXt', Buffer.alloc(5), 0x7fff_ffff)]],
    ['more chunks than are looked at', [IHDR, ...Array.from({ length: 600 }, () => chunk('tEXt'))]],
    ['zeros', [Buffer.alloc(5000)]],
    ['another image', [Buffer.from('\xff\xd8\xff\xe0GIF89aftypheic%PDF', 'latin1')]],
  ])('is a PNG by its signature, whatever follows: %s', async (_, rest) => {
    const bytes = Buffer.concat([SIGNATURE, ...rest]);
    expect(['png', 'apng', undefined]).toContain(await told(bytes));
    expect(await identify(bytes)).toEqual({ type: 'png' });
  });

  it('is neither after other bytes nor with a byte of the signature missing', async () => {
    const png = await drawReceipt({ type: 'png', seed: 'plain' });
    for (const bytes of [Buffer.concat([Buffer.from('x'), png]), png.subarray(1), png.subarray(0, 7)])
      expect((await identify(bytes)).type).toBeNull();
  });
});
