import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { drawReceipt } from '../../test/support/images.ts';
import { insertJpegSegment } from '../../test/support/handmadeImages.ts';

const REAL = fileURLToPath(new URL('../../../../shared/receipts', import.meta.url));
const COMMENT = 0xfe;

/** Photographed receipts if available, otherwise drawn ones of the same size. */
export async function photographs(): Promise<{
  readonly images: Buffer[];
  readonly kind: 'photographed' | 'drawn';
}> {
  if (existsSync(REAL)) {
    const files = (await readdir(REAL)).filter((name) => name.endsWith('.jpg'));
    return {
      images: await Promise.all(files.map((name) => readFile(join(REAL, name)))),
      kind: 'photographed',
    };
  }
  const seeds = Array.from({ length: 8 }, (_, index) => `bench ${index}`);
  const images = await Promise.all(
    seeds.map((seed) => drawReceipt({ type: 'jpeg', seed, width: 900, height: 1600 })),
  );
  return { images, kind: 'drawn' };
}

/** One small drawn JPEG of `size` bytes. */
export async function small(size: number): Promise<Buffer> {
  const drawn = await drawReceipt({ type: 'jpeg', seed: 'small' });
  return insertJpegSegment(drawn, COMMENT, Buffer.alloc(size - drawn.length - 4 - STAMP_BYTES - 4, 'x'));
}

const STAMP_BYTES = 12;

/** The same picture with different bytes: adds a comment. */
export function stamped(image: Buffer, number: number): Buffer {
  return insertJpegSegment(image, COMMENT, Buffer.from(String(number).padStart(STAMP_BYTES, '0')));
}

/** Writes `count` different images to `dir`, cycling through `images`. */
export async function fill(dir: string, images: readonly Buffer[], count: number): Promise<number> {
  await mkdir(dir, { recursive: true });
  let bytes = 0;
  for (let index = 0; index < count; index += 1) {
    const image = stamped(images[index % images.length] as Buffer, index);
    bytes += image.length;
    await writeFile(join(dir, `SCAN${String(index).padStart(6, '0')}.jpg`), image);
  }
  return bytes;
}
