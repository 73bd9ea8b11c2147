import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256 } from './digest.ts';
import { inCheckout } from './repository.ts';

export interface Image {
  readonly name: string;
  readonly bytes: Buffer;
  readonly sha256: string;
}

/** Larger images would slow rounds down without new kill points. */
const MOST_BYTES = 600_000;

/** The photographed receipts next to the checkout, or drawn ones if that folder is missing. */
export async function loadImages(): Promise<{ readonly real: boolean; readonly images: readonly Image[] }> {
  const folder = inCheckout('../shared/receipts');
  if (!existsSync(join(folder, 'manifest.json'))) return { real: false, images: await drawn() };
  const names = (await readdir(folder)).filter((name) => name.endsWith('.jpg')).sort();
  const images = await Promise.all(
    names.map(async (name) => imageOf(name, await readFile(join(folder, name)))),
  );
  return { real: true, images: images.filter(({ bytes }) => bytes.length <= MOST_BYTES) };
}

async function drawn(): Promise<Image[]> {
  const { drawReceipt } = await import('../../support/images.ts');
  const types = ['jpeg', 'png', 'webp', 'gif'] as const;
  return Promise.all(
    Array.from({ length: 32 }, async (_, index) => {
      const type = types[index % types.length]!;
      return imageOf(`${index}.${type}`, await drawReceipt({ type, seed: `drawn ${index}` }));
    }),
  );
}

function imageOf(name: string, bytes: Buffer): Image {
  return { name, bytes, sha256: sha256(bytes) };
}
