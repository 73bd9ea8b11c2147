import { buildPdf, buildTiff, insertJpegSegment } from '../../support/handmadeImages.ts';
import { drawMultiPageTiff, drawReceipt, withTrailer } from '../../support/images.ts';
import type { Dice } from '../support/dice.ts';
import { sha256 } from '../support/digest.ts';

/** What happens to a file with these bytes once it is at rest. `growing`: an image that has to wait for the long quiet time. */
export type Kind = 'image' | 'growing' | 'incomplete' | 'rejected';

/** Larger files are rejected (`maxFileSize` of every round). */
export const LARGEST = 200_000;

/** Base images that are made unique by a few bytes, since drawing each image would take most of the time. */
export interface Models {
  readonly jpegs: readonly Buffer[];
  readonly others: readonly Buffer[];
}

export async function drawModels(): Promise<Models> {
  const jpegs: Buffer[] = [];
  const others: Buffer[] = [];
  for (const [width, height] of [
    [32, 48],
    [96, 160],
    [300, 500],
  ] as const) {
    jpegs.push(await drawReceipt({ type: 'jpeg', seed: `${width}`, width, height }));
    jpegs.push(await drawReceipt({ type: 'jpeg', seed: `${width} p`, width, height, progressive: true }));
    jpegs.push(await drawReceipt({ type: 'jpeg', seed: `${width} t`, width, height, exifThumbnail: true }));
  }
  for (const type of ['png', 'webp', 'gif', 'bmp', 'heic'] as const)
    for (let n = 0; n < 12; n += 1) others.push(await drawReceipt({ type, seed: `${type} ${n}` }));
  return { jpegs, others };
}

/** The bytes that a round writes, and the kind of each. */
export class Contents {
  readonly #dice: Dice;
  readonly #models: Models;
  readonly #kinds = new Map<string, Kind>();
  #count = 0;

  constructor(dice: Dice, models: Models) {
    this.#dice = dice;
    this.#models = models;
  }

  /** Undefined for accidental contents: parts of a file, or one version written over another. */
  kindOf(hash: string): Kind | undefined {
    return this.#kinds.get(hash);
  }

  /** A complete image. JPEGs and TIFFs are new each time, others recur. */
  image(): Buffer {
    const dice = this.#dice;
    const seed = `${dice.int(0, 2 ** 31)} ${(this.#count += 1)}`;
    switch (dice.weighted({ jpeg: 60, trailer: 5, other: 20, tiff: 15 })) {
      case 'jpeg':
        return this.#are('image', this.#jpeg(seed));
      case 'trailer':
        return this.#are('image', withTrailer(this.#jpeg(seed), dice.int(1, 300)));
      case 'other':
        return this.#are('image', dice.pick(this.#models.others));
      case 'tiff':
        return this.#are('growing', drawMultiPageTiff(seed, dice.int(1, 3)));
    }
  }

  /** Another image of the same size. */
  imageLike(bytes: Buffer): Buffer | null {
    const jpeg = this.#jpeg(`${(this.#count += 1)} again`);
    return jpeg.length > bytes.length
      ? null
      : this.#are('image', withTrailer(jpeg, bytes.length - jpeg.length));
  }

  /** A TIFF of one page, and the same with another page appended. */
  growing(): [Buffer, Buffer] {
    const seed = `growing ${this.#dice.int(0, 2 ** 31)}`;
    return [
      this.#are('growing', drawMultiPageTiff(seed, 1)),
      this.#are('growing', drawMultiPageTiff(seed, 2)),
    ];
  }

  /** Contents that are never sent. */
  noImage(): Buffer {
    const dice = this.#dice;
    const seed = `${dice.int(0, 2 ** 31)}`;
    switch (dice.weighted({ empty: 3, text: 3, bytes: 3, pdf: 3, large: 1, cut: 4 })) {
      case 'empty':
        return this.#are('incomplete', Buffer.alloc(0));
      case 'text':
        return this.#are('rejected', Buffer.from(`bread and butter ${seed}\n`.repeat(dice.int(1, 20))));
      case 'bytes':
        return this.#are('rejected', Buffer.concat([Buffer.from('\x00\x01\x02none'), dice.bytes(200)]));
      case 'pdf':
        return this.#are('rejected', buildPdf(seed));
      case 'large':
        return this.#are('rejected', this.#large(seed));
      case 'cut':
        return this.cut(this.image());
    }
  }

  /** The beginning of an image, long enough to show its type. */
  cut(image: Buffer): Buffer {
    const length = this.#dice.int(Math.min(64, image.length >> 1), Math.floor(image.length * 0.6));
    return this.#are('incomplete', Buffer.from(image.subarray(0, length)));
  }

  #jpeg(seed: string): Buffer {
    const model = this.#dice.pick(this.#models.jpegs);
    return insertJpegSegment(model, 0xfe, Buffer.from(`scan ${seed}`));
  }

  #large(seed: string): Buffer {
    const side = 260;
    const data = Buffer.alloc(side * side * 3, seed);
    return buildTiff({ pages: [{ width: side, height: side, data }] });
  }

  #are(kind: Kind, bytes: Buffer): Buffer {
    this.#kinds.set(sha256(bytes), kind);
    return bytes;
  }
}
