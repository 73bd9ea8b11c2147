import { describe, expect, test } from 'vitest';
import { bmpGap } from '../../../../src/intake/image/structure/bmp.ts';
import { gifGap } from '../../../../src/intake/image/structure/gif.ts';
import { heicGap } from '../../../../src/intake/image/structure/heic.ts';
import { pngGap } from '../../../../src/intake/image/structure/png.ts';
import { webpGap } from '../../../../src/intake/image/structure/webp.ts';
import { buildHeic } from '../../../support/handmadeImages.ts';
import { drawReceipt } from '../../../support/images.ts';

const [png, gif, bmp, webp] = await Promise.all(
  (['png', 'gif', 'bmp', 'webp'] as const).map((type) => drawReceipt({ type, seed: 'containers' })),
);

describe('PNG', () => {
  test('is incomplete without image data', () => {
    const header = png!.subarray(0, 33);
    const end = png!.subarray(-12);
    expect(pngGap(Buffer.concat([header, end]))).toMatch(/no image data/);
  });

  test('is incomplete if the end chunk lacks its checksum', () => {
    expect(pngGap(Buffer.concat([png!.subarray(0, -4), Buffer.alloc(4)]))).toMatch(/not fully written/);
  });
});

describe('GIF', () => {
  test('is not ended by stray zeros between blocks', () => {
    expect(gifGap(Buffer.concat([gif!.subarray(0, -1), Buffer.from([0, 0, 0x3b])]))).toBeNull();
  });

  test('is incomplete if it has a trailer but no image', () => {
    expect(gifGap(Buffer.from('GIF89a\x01\0\x01\0\0\0\0;', 'latin1'))).toMatch(/no image/);
  });
});

describe('BMP', () => {
  test('is measured by its dimensions if the header has no size, and by the header if the dimensions imply less', () => {
    const silent = Buffer.from(bmp!);
    silent.writeUInt32LE(0, 2);
    expect(bmpGap(silent)).toBeNull();
    expect(bmpGap(silent.subarray(0, -1))).toMatch(/the BMP has 46,133 bytes of 46,134 bytes/);

    const longer = Buffer.from(bmp!);
    longer.writeUInt32LE(bmp!.length + 100, 2);
    expect(bmpGap(longer)).toMatch(/of 46,234 bytes/);
  });

  test('may store its rows from the top', () => {
    const topDown = Buffer.from(bmp!);
    topDown.writeInt32LE(-160, 22);
    expect(bmpGap(topDown)).toBeNull();
    expect(bmpGap(topDown.subarray(0, -1))).not.toBeNull();
  });

  test('may have the short header of old writers', () => {
    const core = Buffer.alloc(14 + 12 + 8);
    core.write('BM');
    core.writeUInt32LE(26, 10);
    core.writeUInt32LE(12, 14);
    core.writeUInt16LE(1, 18);
    core.writeUInt16LE(2, 20);
    core.writeUInt16LE(1, 22);
    core.writeUInt16LE(24, 24);
    expect(bmpGap(core)).toBeNull();
    expect(bmpGap(core.subarray(0, -1))).not.toBeNull();
  });
});

describe('WebP', () => {
  test('is incomplete if the container is empty', () => {
    expect(webpGap(Buffer.from('RIFF\x04\0\0\0WEBP', 'latin1'))).toMatch(/no image data/);
  });

  test('is damaged if a chunk reaches beyond its container', () => {
    const damaged = Buffer.from(webp!);
    damaged.writeUInt32LE(damaged.length * 2, 16);
    expect(webpGap(damaged)).toMatch(/reaches beyond/);
  });
});

describe('HEIC', () => {
  const heic = buildHeic({ picture: Buffer.alloc(500, 9) });

  test('is incomplete if a location points beyond the last box', () => {
    expect(heicGap(heic.subarray(0, heic.indexOf('mdat') - 4))).toMatch(/incomplete: image data should end/);
  });

  test('is incomplete if zeros replace the media data box', () => {
    const at = heic.indexOf('mdat');
    const taken: number[] = [];
    for (let written = 20; written <= at + 3; written += 1) {
      const zeros = Buffer.concat([heic.subarray(0, written), Buffer.alloc(heic.length - written)]);
      if (heicGap(zeros) === null) taken.push(written);
    }
    expect(taken).toEqual([]);
  });

  test('spends no time on extents without bytes', () => {
    const iloc = Buffer.alloc(3_000_000, 0xff);
    iloc.writeUInt32BE(iloc.length, 0);
    iloc.write('iloc', 4);
    iloc.writeUInt32BE(0, 8);
    iloc.writeUInt16BE(0, 12);
    const meta = Buffer.from([0, 0, 0, 0, 0x6d, 0x65, 0x74, 0x61, 0, 0, 0, 0]);
    const started = performance.now();
    expect(heicGap(Buffer.concat([meta, iloc]))).not.toBeNull();
    expect(performance.now() - started).toBeLessThan(2000);
  });
});
