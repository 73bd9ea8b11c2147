import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { likeness, SAME_PAPER, toPrint, type Print } from '../../../src/core/domain/paper.ts';
import { appearanceOf } from '../../../src/pages/child/appearance.ts';
import { hasReceipts, receiptFile, receipts } from '../../e2e/support/receipts.ts';
import { isEveryCase as isWhole } from '../../support/everyCase.ts';
import { blankSheet, SCANNED_AGAIN } from '../../support/spoiled.ts';

async function printOf(image: Buffer): Promise<Print | null> {
  const { print } = await appearanceOf(sharp(image));
  return print === null ? null : toPrint(Buffer.from(print, 'base64'));
}

function isSame(one: Print | null, other: Print | null): boolean {
  return one !== null && other !== null && likeness(one, other) >= SAME_PAPER;
}

describe('what a paper is known by', () => {
  it('is nothing where there is next to no print', async () => {
    expect(await printOf(await blankSheet())).toBeNull();
  });

  describe.skipIf(!hasReceipts())('of real receipts', () => {
    /** One shop's, of which each pair looks alike to people, too. */
    const SHOPS = [
      ['081.jpg', '085.jpg'],
      ['478.jpg', '493.jpg'],
    ];

    it(
      'tells each receipt from all others, and knows second scans',
      { timeout: isWhole ? 1_800_000 : 60_000 },
      async () => {
        const files = isWhole ? Object.keys(receipts()).filter((name) => name !== '015.jpg') : SHOPS.flat();
        const images = await Promise.all(files.map((name) => readFile(receiptFile(name))));
        const first = new Map<string, Print | null>();
        for (const [at, name] of files.entries()) first.set(name, await printOf(images[at]!));
        const wrong: string[] = [];
        let [pairs, closest] = [0, 0];
        const compare = (name: string, how: string, print: Print | null, others: readonly string[]): void => {
          for (const other of others) {
            const known = first.get(other) ?? null;
            if (other === name || known === null || print === null) continue;
            pairs += 1;
            const alike = likeness(known, print);
            closest = Math.max(closest, alike);
            if (alike >= SAME_PAPER) wrong.push(`${name} (${how}) is taken for ${other}`);
          }
        };
        for (const [name, print] of first) compare(name, 'as it is', print, files);
        const known: Record<string, number> = {};
        for (const [turn, [how, scan]] of Object.entries(SCANNED_AGAIN).entries()) {
          for (const [at, name] of files.entries()) {
            // A few; docs/pages.md has the figures of all.
            if (!isWhole && (turn + at) % 12 !== 0) continue;
            const again = await printOf(await scan(images[at]!));
            known[how] = (known[how] ?? 0) + (isSame(first.get(name) ?? null, again) ? 1 : 0);
            compare(name, how, again, isWhole ? files : (SHOPS.find((shop) => shop.includes(name)) ?? []));
          }
        }
        if (isWhole) console.log(known, { receipts: files.length, pairs, closest });
        expect(wrong).toEqual([]);
        const found = Object.values(known).reduce((sum, count) => sum + count, 0);
        const tried = isWhole ? files.length * Object.keys(SCANNED_AGAIN).length : Object.keys(known).length;
        expect(found / tried).toBeGreaterThan(0.8);
      },
    );
  });
});
