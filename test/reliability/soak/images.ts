import { insertJpegSegment } from '../../support/handmadeImages.ts';
import { drawReceipt } from '../../support/images.ts';
import { sha256 } from '../kill/digest.ts';
import { loadImages } from '../kill/images.ts';
import type { Dice } from '../support/dice.ts';

export interface Image {
  readonly bytes: Buffer;
  readonly sha256: string;
  readonly extension: string;
}

const DRAWN = 12;
const REAL = 12;
const COMMENT = 0xfe;

/** Unique images: a few drawn or photographed ones, each time with another comment. */
export class Images {
  readonly #seed: string;
  readonly #drawn: readonly Buffer[];
  readonly #real: readonly Buffer[];
  #count = 0;

  private constructor(seed: string, drawn: readonly Buffer[], real: readonly Buffer[]) {
    this.#seed = seed;
    this.#drawn = drawn;
    this.#real = real;
  }

  static async prepare(seed: string): Promise<Images> {
    const drawn: Buffer[] = [];
    for (let n = 0; n < DRAWN; n += 1) {
      drawn.push(await drawReceipt({ type: 'jpeg', seed: `${seed} ${n}`, progressive: n % 3 === 0 }));
    }
    const { real, images } = await loadImages();
    return new Images(seed, drawn, real ? images.slice(0, REAL).map(({ bytes }) => bytes) : []);
  }

  /** Whether real receipts are among them. */
  get hasReal(): boolean {
    return this.#real.length > 0;
  }

  async next(dice: Dice): Promise<Image> {
    this.#count += 1;
    const mark = `${this.#seed} ${this.#count}`;
    const kind = dice.weighted({ drawn: 90, real: this.hasReal ? 2 : 0, other: 8 });
    if (kind === 'other') {
      const type = dice.pick(['png', 'webp', 'gif', 'tiff', 'bmp', 'heic'] as const);
      return imageOf(await drawReceipt({ type, seed: mark }), type);
    }
    const base = dice.pick(kind === 'real' ? this.#real : this.#drawn);
    return imageOf(insertJpegSegment(base, COMMENT, Buffer.from(mark)), 'jpg');
  }
}

function imageOf(bytes: Buffer, extension: string): Image {
  return { bytes, sha256: sha256(bytes), extension };
}
