import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { insertJpegSegment } from '../../support/handmadeImages.ts';
import { drawReceipt } from '../../support/images.ts';
import { inCheckout } from './checkout.ts';
import { Dice } from './dice.ts';
import { sha256 } from './digest.ts';

export interface Image {
  readonly bytes: Buffer;
  readonly sha256: string;
  readonly extension: string;
}

/** Larger images would slow campaigns down without testing more. */
const MOST_BYTES = 600_000;
const DRAWN = 12;
const COMMENT = 0xfe;
const OTHER_TYPES = ['png', 'webp', 'gif', 'tiff', 'bmp', 'heic'] as const;

/** The photographed receipts next to the checkout, by name; empty if that folder is missing. */
export async function photographedReceipts(): Promise<readonly { name: string; bytes: Buffer }[]> {
  const folder = inCheckout('../shared/receipts');
  if (!existsSync(folder)) return [];
  const names = (await readdir(folder)).filter((name) => name.endsWith('.jpg')).sort();
  return Promise.all(names.map(async (name) => ({ name, bytes: await readFile(join(folder, name)) })));
}

/** The photographed receipts of moderate size, or drawn ones if there are none. */
export async function loadImages(): Promise<readonly Image[]> {
  const photographed = await moderate();
  return photographed.length > 0 ? photographed : drawn();
}

async function moderate(): Promise<Image[]> {
  const photographed = await photographedReceipts();
  return photographed
    .filter(({ bytes }) => bytes.length <= MOST_BYTES)
    .map(({ bytes }) => imageOf(bytes, 'jpg'));
}

async function drawn(): Promise<Image[]> {
  const types = ['jpeg', 'png', 'webp', 'gif'] as const;
  return Promise.all(
    Array.from({ length: 32 }, async (_, index) => {
      const type = types[index % types.length]!;
      return imageOf(await drawReceipt({ type, seed: `drawn ${index}` }), type);
    }),
  );
}

/** How often an image is a photographed receipt, a drawn JPEG, or a drawing of another type. */
export type Mix = Readonly<Record<'photographed' | 'drawn' | 'otherType', number>>;

/** Makes unique images: a few JPEGs, each time with another comment, and drawings of other types. */
export class ImageMaker {
  readonly #mark: string;
  readonly #mix: Mix;
  readonly #dice: Dice;
  readonly #photographed: readonly Image[];
  readonly #drawn: readonly Buffer[];
  #count = 0;

  private constructor(
    mark: string,
    seed: string,
    mix: Mix,
    photographed: readonly Image[],
    drawnOnes: readonly Buffer[],
  ) {
    this.#mark = mark;
    this.#mix =
      photographed.length > 0 ? mix : { ...mix, drawn: mix.drawn + mix.photographed, photographed: 0 };
    this.#dice = Dice.of(seed, 'images');
    this.#photographed = photographed;
    this.#drawn = drawnOnes;
  }

  /**
   * @param mark unique to this run, if no other run may make the same images
   * @param seed decides their order and kinds
   */
  static async prepare(mark: string, mix: Mix, seed = mark): Promise<ImageMaker> {
    const drawnOnes = await Promise.all(
      Array.from({ length: DRAWN }, (_, n) =>
        drawReceipt({ type: 'jpeg', seed: `${mark} ${n}`, progressive: n % 3 === 0 }),
      ),
    );
    return new ImageMaker(mark, seed, mix, await moderate(), drawnOnes);
  }

  async next(): Promise<Image> {
    this.#count += 1;
    const dice = this.#dice;
    const mark = `${this.#mark} ${this.#count}`;
    const kind = dice.weighted(this.#mix);
    if (kind === 'otherType') {
      const type = dice.pick(OTHER_TYPES);
      return imageOf(await drawReceipt({ type, seed: mark }), type);
    }
    const base = kind === 'drawn' ? dice.pick(this.#drawn) : dice.pick(this.#photographed).bytes;
    return imageOf(insertJpegSegment(base, COMMENT, Buffer.from(mark)), 'jpg');
  }
}

function imageOf(bytes: Buffer, extension: string): Image {
  return { bytes, sha256: sha256(bytes), extension };
}
