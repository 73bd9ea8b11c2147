import { insertJpegSegment } from '../../support/handmadeImages.ts';
import { loadImages } from '../kill/images.ts';
import { sha256 } from '../kill/digest.ts';

export interface Image {
  readonly bytes: Buffer;
  readonly sha256: string;
}

const COMMENT = 0xfe;

/** Unique JPEGs: the photographed receipts, or drawn ones if those are missing, each time with another comment. */
export class Images {
  readonly real: boolean;
  readonly #bases: readonly Buffer[];
  readonly #mark: string;
  #count = 0;

  private constructor(real: boolean, bases: readonly Buffer[], mark: string) {
    this.real = real;
    this.#bases = bases;
    this.#mark = mark;
  }

  /** @param mark unique to this run, so that no other run makes the same images */
  static async prepare(mark: string): Promise<Images> {
    const { real, images } = await loadImages();
    const bases = images.map(({ bytes }) => bytes).filter((bytes) => bytes[0] === 0xff && bytes[1] === 0xd8);
    return new Images(real, bases, mark);
  }

  next(): Image {
    const base = this.#bases[this.#count % this.#bases.length];
    if (!base) throw new Error('There are no receipts.');
    this.#count += 1;
    const bytes = insertJpegSegment(base, COMMENT, Buffer.from(`${this.#mark} ${this.#count}`));
    return { bytes, sha256: sha256(bytes) };
  }
}
