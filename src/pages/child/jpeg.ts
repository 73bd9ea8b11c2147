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

/** What libjpeg only warns of, and fills with grey. Other warnings, such as "Invalid SOS parameters", are of no consequence. */
const MISSING = /premature end|bad Huffman code|instead of RST/i;

/** @throws if image data is missing */
export async function needWholeJpeg(sharp: SharpModule, bytes: Buffer): Promise<void> {
  const decoded = sharp(bytes, { limitInputPixels: MOST_PIXELS, failOn: 'warning' }).stats();
  await decoded.catch((error: unknown) => {
    if (MISSING.test(String(error))) throw error;
  });
}
