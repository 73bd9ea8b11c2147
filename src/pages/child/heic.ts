import type { PageType } from '../../core/domain/pages.ts';
import type { Unreadable } from '../../core/ports/pages.ts';
import { encode, MOST_PIXELS, type SharpModule } from './encode.ts';
import type { Drawn, Opened } from './opened.ts';

interface HeicImage {
  readonly width: number;
  readonly height: number;
  decode(): Promise<{ readonly data: Uint8ClampedArray }>;
}

interface HeicImages extends ReadonlyArray<HeicImage> {
  dispose?(): void;
}

/** The first picture of a HEIC file, which is the photo if a phone wrote it. The decoder turns it upright. */
export class HeicFile implements Opened {
  readonly kind = 'opened';
  readonly pages = 1;
  readonly #bytes: Buffer;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  async page(sharp: SharpModule, _number: number, into: readonly PageType[]): Promise<Drawn | Unreadable> {
    const raw = await decodeHeic(this.#bytes);
    if ('kind' in raw) return raw;
    const { width, height, data } = raw;
    const image = sharp(data, { raw: { width, height, channels: 4 }, limitInputPixels: MOST_PIXELS });
    return { kind: 'image', isOriginal: false, ...(await encode(image, false, into)) };
  }
}

interface Raw {
  readonly width: number;
  readonly height: number;
  readonly data: Buffer;
}

export async function decodeHeic(bytes: Buffer): Promise<Raw | Unreadable> {
  // The module has no types; with a variable, the compiler does not look for any.
  const name: string = 'heic-decode';
  const { default: decode }: { default: { all(of: { buffer: Buffer }): Promise<HeicImages> } } = await import(
    name
  );
  let images: HeicImages;
  try {
    images = await decode.all({ buffer: bytes });
  } catch {
    return { kind: 'refused', reason: 'DAMAGED', detail: "its picture can't be decoded" };
  }
  const [first] = images;
  if (first === undefined) return { kind: 'refused', reason: 'DAMAGED', detail: 'it holds no picture' };
  const { width, height } = first;
  if (width * height > MOST_PIXELS)
    return { kind: 'refused', reason: 'TOO_DEAR', detail: `it has ${width} x ${height} pixels` };
  const { data } = await first.decode();
  return { width, height, data: Buffer.from(data.buffer, data.byteOffset, data.byteLength) };
}
