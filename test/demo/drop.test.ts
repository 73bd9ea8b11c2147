import { mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import sharp from 'sharp';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { dropAll, planDrops, removeOwn } from '../../src/demo/drop.ts';
import type { Drop } from '../../src/demo/drop.ts';

let inbox: string;
let drops: readonly Drop[];
const noSleep = () => new Promise<void>((resolve) => void setImmediate(resolve));

beforeAll(async () => {
  drops = await planDrops();
});
beforeEach(async () => {
  inbox = await mkdtemp(path.join(os.tmpdir(), 'receiptd-drop-'));
});
afterEach(() => rm(inbox, { recursive: true, force: true }));

describe('what the demo drops', () => {
  test('is a dozen files: ten receipts, one of them twice, and one that is no image', async () => {
    expect(drops.map((drop) => drop.expected).sort()).toEqual([
      ...Array.from({ length: 10 }, () => 'accepted'),
      'duplicate',
      'rejected',
    ]);
    const accepted = drops.filter((drop) => drop.expected === 'accepted');
    expect(new Set(accepted.map((drop) => drop.bytes.toString('base64'))).size).toBe(10);
    const formats = await Promise.all(
      accepted.map(async (drop) => (await sharp(drop.bytes).metadata()).format),
    );
    expect(new Set(formats)).toEqual(new Set(['jpeg', 'png', 'tiff']));

    const duplicate = drops.findIndex((drop) => drop.expected === 'duplicate');
    const original = drops.findIndex((drop) => drop.name === 'SCAN0001.jpg');
    expect(drops[duplicate]!.bytes.equals(drops[original]!.bytes)).toBe(true);
    expect(original).toBeLessThan(duplicate);

    const text = drops.find((drop) => drop.expected === 'rejected');
    expect(text?.name).toMatch(/\.jpg$/);
    await expect(sharp(text?.bytes).metadata()).rejects.toThrow('unsupported image format');
    expect(drops.some((drop) => /[^\u0000-\u007f]/.test(drop.name))).toBe(true);
    expect(drops.filter((drop) => drop.slowly)).toHaveLength(1);
  });

  test('arrives whole', async () => {
    const used = await dropAll(inbox, drops, noSleep);
    expect([...used.values()]).toEqual(drops.map((drop) => drop.name));
    expect((await readdir(inbox)).map((name) => name.normalize()).sort()).toEqual(
      drops.map((drop) => drop.name.normalize()).sort(),
    );
    for (const drop of drops) {
      expect(drop.bytes.equals(await readFile(path.join(inbox, drop.name)))).toBe(true);
    }
  });

  test('has one that grows in ten pieces over five seconds', async () => {
    const slow = drops.filter((drop) => drop.slowly);
    const sizes: number[] = [];
    let elapsed = 0;
    const sleep = async (ms: number) => {
      if (ms < 500) return noSleep();
      elapsed += ms;
      sizes.push((await stat(path.join(inbox, slow[0]!.name))).size);
      return undefined;
    };
    await dropAll(inbox, slow, sleep);
    expect(sizes).toHaveLength(9);
    expect(new Set(sizes).size).toBe(9);
    expect(elapsed).toBe(4500);
    expect(sizes.at(-1)).toBeLessThan(slow[0]!.bytes.length);
    expect(slow[0]!.bytes.equals(await readFile(path.join(inbox, slow[0]!.name)))).toBe(true);
  });

  test('ends at once when it is stopped, and nothing goes on writing', async () => {
    const stop = new Error('stopped');
    let sleeps = 0;
    const sleep = async () => {
      sleeps += 1;
      await noSleep();
      if (sleeps > 3) throw stop;
    };
    await expect(dropAll(inbox, drops, sleep)).rejects.toBe(stop);
    const after = sleeps;
    await noSleep();
    expect(sleeps).toBe(after);
  });
});

describe("a person's files", () => {
  test('are never overwritten: the demo takes another name', async () => {
    await writeFile(path.join(inbox, 'SCAN0001.jpg'), 'mine');
    await writeFile(path.join(inbox, 'SCAN0001-2.jpg'), 'mine too');
    const used = await dropAll(inbox, drops, noSleep);
    expect([...used.values()]).toContain('SCAN0001-3.jpg');
    expect(await readFile(path.join(inbox, 'SCAN0001.jpg'), 'utf8')).toBe('mine');
    expect(await readFile(path.join(inbox, 'SCAN0001-2.jpg'), 'utf8')).toBe('mine too');
  });

  test("are kept when the demo's own are removed, half-written ones included", async () => {
    const slow = drops.find((drop) => drop.slowly)!;
    await dropAll(inbox, drops, noSleep);
    await writeFile(path.join(inbox, slow.name), slow.bytes.subarray(0, 1000));
    await writeFile(path.join(inbox, 'SCAN0002.jpg'), 'mine, under the same name');
    await writeFile(path.join(inbox, 'SCAN0003.png'), '');
    await writeFile(path.join(inbox, 'my own.jpg'), drops[1]!.bytes);
    await removeOwn(inbox, drops);
    expect((await readdir(inbox)).sort()).toEqual(['SCAN0002.jpg', 'SCAN0003.png', 'my own.jpg']);
  });
});
