import type { PageType } from '../../core/domain/pages.ts';
import { encode, MOST_PIXELS, type SharpModule } from './encode.ts';
import type { Drawn, Opened } from './opened.ts';

/** A JPEG with an EXIF orientation other than upright; its page is rotated and re-encoded. */
export class JpegFile implements Opened {
  readonly kind = 'opened';
  readonly pages = 1;
  readonly #bytes: Buffer;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  async page(sharp: SharpModule, _number: number, into: readonly PageType[]): Promise<Drawn> {
    const turned = sharp(this.#bytes, { limitInputPixels: MOST_PIXELS, failOn: 'error' }).autoOrient();
    return { kind: 'image', isOriginal: false, ...(await encode(turned, false, into)) };
  }
}
