import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { remarkOn } from '../../../src/core/domain/look.ts';
import { appearanceOf } from '../../../src/pages/child/appearance.ts';
import { hasReceipts } from '../../e2e/support/receipts.ts';
import { drawReceipt } from '../../support/images.ts';
import { isEveryCase } from '../../support/everyCase.ts';
import { blankSheet, SPOILED } from '../../support/spoiled.ts';

const REAL = fileURLToPath(new URL('../../../../shared/receipts', import.meta.url));

async function reasonOf(image: Buffer): Promise<string | null> {
  return remarkOn(await appearanceOf(sharp(image)))?.reason ?? null;
}

describe('what images look like', () => {
  it('a drawn receipt is good, a sheet with nothing on it blank', async () => {
    expect(
      await reasonOf(await drawReceipt({ type: 'jpeg', seed: 'look', width: 600, height: 1_000 })),
    ).toBeNull();
    expect(await reasonOf(await blankSheet())).toBe('BLANK');
  });

  it('the shadow of a lid along the edge makes no sheet a receipt', async () => {
    const shadow = { create: { width: 30, height: 1_754, channels: 3, background: '#777777' } } as const;
    const sheet = sharp(await blankSheet()).composite([{ input: shadow, left: 0, top: 0 }]);
    expect(await reasonOf(await sheet.jpeg().toBuffer())).toBe('BLANK');
  });

  it('one line of print on a sheet of A4 is something', async () => {
    const line = await sharp({ text: { text: 'Total EUR 12.30', dpi: 150 } })
      .png()
      .toBuffer();
    const sheet = sharp(await blankSheet()).composite([{ input: line, left: 400, top: 600 }]);
    expect(await reasonOf(await sheet.jpeg().toBuffer())).not.toBe('BLANK');
  });

  it.each([
    [1, 1],
    [2, 1],
    [3, 3],
    [1, 5_000],
  ])('an image of %i x %i pixels is measured as well', async (width, height) => {
    const image = sharp({ create: { width, height, channels: 3, background: 'white' } }).png();
    expect(await reasonOf(await image.toBuffer())).not.toBeNull();
  });

  describe.skipIf(!hasReceipts())('of real receipts', () => {
    it('holds none of them, nor what is still good of them, and finds what is spoiled', async () => {
      const files = (await readdir(REAL)).filter((name) => name.endsWith('.jpg') && name !== '015.jpg');
      const found: Record<string, Record<string, number>> = {};
      for (const [at, file] of files.entries()) {
        const image = await readFile(join(REAL, file));
        for (const [how, spoil] of Object.entries(SPOILED)) {
          // Some of them, and a few spoiled; docs/pages.md has the figures of all.
          const every = how === 'as it is' ? 6 : 19;
          if (at % every !== 0 && !isEveryCase) continue;
          const reason = await reasonOf(await spoil(image));
          const counts = (found[how] ??= {});
          counts[reason ?? 'good'] = (counts[reason ?? 'good'] ?? 0) + 1;
        }
      }
      if (isEveryCase) console.log(found);
      const good = ['as it is', 'JPEG of quality 30', 'noise of ±40', 'turned by 3°', 'upside down'];
      good.push('cropped by 6 %', 'faded to 30 %', 'half as bright', 'blurred, σ 2');
      for (const how of good) expect([how, Object.keys(found[how] ?? {})]).toEqual([how, ['good']]);
      expect(found['a third as bright']).not.toHaveProperty('good');
      expect(found['a back that the front shines through']?.['BLANK'] ?? 0).toBeGreaterThan(1);
      expect(found['blurred, σ 6']?.['BLURRED'] ?? 0).toBeGreaterThan(1);
    });
  });
});
