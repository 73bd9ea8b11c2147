import type { PageType } from '../../core/domain/pages.ts';
import type { Unreadable } from '../../core/ports/pages.ts';
import { tiffPages } from '../../intake/image/structure/tiffPages.ts';
import { encode, MOST_PIXELS, type SharpModule } from './encode.ts';
import type { Drawn, Opened } from './opened.ts';

export class TiffFile implements Opened {
  readonly kind = 'opened';
  readonly pages: number;
  readonly #bytes: Buffer;
  readonly #places: readonly number[];

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.#places = tiffPages(bytes);
    this.pages = this.#places.length;
  }

  async page(sharp: SharpModule, number: number, into: readonly PageType[]): Promise<Drawn | Unreadable> {
    const page = this.#places[number - 1] ?? 0;
    const image = sharp(this.#bytes, { page, limitInputPixels: MOST_PIXELS, failOn: 'error' });
    const { bitsPerSample, density } = await image.metadata();
    // Apply the file's orientation here: the encoded page does not carry it.
    const turned = image.autoOrient().withMetadata(density === undefined ? {} : { density });
    return { kind: 'image', isOriginal: false, ...(await encode(turned, bitsPerSample === 1, into)) };
  }
}
