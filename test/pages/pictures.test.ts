import { fileURLToPath } from 'node:url';
import sharp, { type Sharp } from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ImageType } from '../../src/core/domain/imageType.ts';
import { confinement } from '../../src/pages/confinement.ts';
import { installedPackages } from '../../src/pages/installed.ts';
import { ProcessPictures } from '../../src/pages/pictures.ts';
import { HEIC } from '../support/heic.ts';
import { pdfOf } from '../support/pdf.ts';
import { tiffOf } from '../support/tiff.ts';

const PROGRAM = fileURLToPath(new URL('../../dist/pageRenderer.js', import.meta.url));
const MOST_BYTES = 20_000;

describe('the process that draws pictures', () => {
  const starts: number[] = [];
  const pictures = new ProcessPictures(
    {
      confinement: () => {
        starts.push(starts.length);
        return confinement(PROGRAM, installedPackages(PROGRAM).files);
      },
    },
    // A busy machine takes its time between two pictures.
    { idleMs: 600_000 },
  );
  afterAll(() => pictures.close());

  /** An A4 page in 75 dpi, full of dark lines; its upper half is darker. */
  let page: Sharp;
  beforeAll(async () => {
    const [width, height] = [620, 877];
    const lines = Array.from(
      { length: 70 },
      (_, line) =>
        `<text x="40" y="${30 + line * 12}" font-size="10">${`${line} Beleg 12,30 `.repeat(6)}</text>`,
    );
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="100%" height="100%" fill="#fff"/><rect width="100%" height="50%" fill="#999"/>${lines.join('')}</svg>`;
    // Drawn once, and not by every clone.
    const drawing = sharp(Buffer.from(svg)).flatten().raw();
    const { data, info } = await drawing.toBuffer({ resolveWithObject: true });
    page = sharp(data, { raw: info });
  });

  async function drawn(bytes: Buffer, type: ImageType, number = 1) {
    const picture = await pictures.draw({ bytes, type, page: number, size: 320, mostBytes: MOST_BYTES });
    if (picture.kind === 'refused') return { reason: picture.reason };
    expect(picture.bytes.length).toBeLessThanOrEqual(MOST_BYTES);
    const { data, info } = await sharp(picture.bytes).greyscale().raw().toBuffer({ resolveWithObject: true });
    const half = data.length / 2;
    const mean = (part: Buffer) => part.reduce((sum, each) => sum + each, 0) / half;
    return {
      width: info.width,
      height: info.height,
      pages: picture.pages,
      isDarkAbove: mean(data.subarray(0, half)) < mean(data.subarray(half)) - 20,
    };
  }

  it('draws every type small and upright, one after the other, in one process', async () => {
    const upright = { width: 226, height: 320, pages: 1, isDarkAbove: true };
    const jpeg = await page.clone().jpeg().toBuffer();
    expect(await drawn(jpeg, 'jpeg')).toEqual(upright);
    // As a phone writes it: lying on its side, with a note of how to turn it.
    const turned = await sharp(jpeg).rotate(270).withMetadata({ orientation: 6 }).jpeg().toBuffer();
    expect(await sharp(turned).metadata()).toMatchObject({ width: 877, height: 620 });
    expect(await drawn(turned, 'jpeg')).toEqual(upright);
    expect(await drawn(await page.clone().png().toBuffer(), 'png')).toEqual(upright);
    expect(await drawn(await page.clone().webp().toBuffer(), 'webp')).toEqual(upright);
    expect(await drawn(await page.clone().tiff().toBuffer(), 'tiff')).toEqual(upright);
    const greys = tiffOf([10, 250].map((grey) => ({ width: 400, height: 200, grey })));
    expect(await drawn(greys, 'tiff', 2)).toMatchObject({ width: 320, height: 160, pages: 2 });
    expect(await drawn(HEIC, 'heic')).toMatchObject({ width: 64, height: 96, pages: 1 });
    expect(starts).toHaveLength(1);
  });

  it('makes what is hard to press together coarser', async () => {
    const noise = Buffer.from(
      Array.from({ length: 400 * 400 * 3 }, (_, at) => (at * 7919 * (at % 61)) % 256),
    );
    const png = await sharp(noise, { raw: { width: 400, height: 400, channels: 3 } })
      .png()
      .toBuffer();
    const asked = { bytes: png, type: 'png', page: 1, size: 320 } as const;
    const fine = await pictures.draw({ ...asked, mostBytes: 1_000_000 });
    const coarse = await pictures.draw({ ...asked, mostBytes: 1_000 });
    if (fine.kind === 'refused' || coarse.kind === 'refused') throw new Error('not drawn');
    expect(coarse.bytes.length).toBeLessThan(fine.bytes.length);
  });

  it('draws the pages of a PDF, in a process of its own', async () => {
    const before = starts.length;
    const scan = { jpeg: await page.clone().jpeg().toBuffer(), width: 620, height: 877 };
    const bytes = pdfOf([{ content: 'BT /F1 24 Tf 72 700 Td (Total 12.30) Tj ET' }, scan]);
    expect(await drawn(bytes, 'pdf', 2)).toEqual({ width: 226, height: 320, pages: 2, isDarkAbove: true });
    expect(starts).toHaveLength(before + 1);
    expect(await drawn(bytes, 'pdf', 3)).toEqual({ reason: 'DAMAGED' });
    expect(starts).toHaveLength(before + 2);
  });

  it('gives up on an image that ends two processes, and leaves nothing running', async () => {
    let begun = 0;
    const hurried = new ProcessPictures({
      confinement: () => {
        begun += 1;
        return confinement(PROGRAM, installedPackages(PROGRAM).files);
      },
      limits: { withinMs: 1 },
    });
    const asked = { bytes: await page.clone().png().toBuffer(), type: 'png', page: 1, size: 320 } as const;
    expect(await hurried.draw({ ...asked, mostBytes: MOST_BYTES })).toMatchObject({ reason: 'TOO_DEAR' });
    expect(begun).toBe(2);
    await hurried.close();
    expect(await hurried.draw({ ...asked, mostBytes: MOST_BYTES })).toMatchObject({ reason: 'TROUBLE' });
    expect(begun).toBe(2);
  });

  it('draws no picture of a hostile image, and the next one all the same', async () => {
    const bomb = tiffOf([{ width: 4, height: 4, grey: 0 }]);
    for (const side of [18, 30]) bomb.writeUInt32LE(60_000, side);
    expect(await drawn(bomb, 'tiff')).toMatchObject({ reason: expect.any(String) });
    expect(await drawn(Buffer.from('no image'), 'jpeg')).toEqual({ reason: 'DAMAGED' });
    expect(await drawn(HEIC.subarray(0, 600), 'heic')).toEqual({ reason: 'DAMAGED' });
    expect(await drawn(HEIC, 'heic')).toMatchObject({ width: 64, height: 96 });
  });
});
