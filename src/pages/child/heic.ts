import { createRequire } from 'node:module';
import type { PageType } from '../../core/domain/pages.ts';
import type { Unreadable } from '../../core/ports/pages.ts';
import { encode, MOST_PIXELS, type SharpModule } from './encode.ts';
import type { Drawn, Opened } from './opened.ts';

/** What is used of libheif-js, whose types do not declare it. */
interface Libheif {
  readonly HeifDecoder: new () => { decode(bytes: Uint8Array): readonly HeifImage[] };
}

interface HeifImage {
  is_primary(): boolean;
  get_width(): number;
  get_height(): number;
  display(into: Pixels, done: (pixels: Pixels | null) => void): void;
}

interface Pixels {
  readonly data: Uint8ClampedArray;
  readonly width: number;
  readonly height: number;
}

const require = createRequire(import.meta.url);

/** The pictures of a HEIC file, without thumbnails and depth maps: the one that viewers show first (ISO/IEC 23008-12, 6.4.2), then the others. */
export class HeicFile implements Opened {
  readonly kind = 'opened';
  readonly pages: number;
  readonly #images: readonly HeifImage[];

  constructor(images: readonly HeifImage[]) {
    this.pages = images.length;
    this.#images = images;
  }

  async page(sharp: SharpModule, number: number, into: readonly PageType[]): Promise<Drawn | Unreadable> {
    const raw = await this.decode(number);
    if ('kind' in raw) return raw;
    const { width, height, data } = raw;
    const image = sharp(Buffer.from(data.buffer), {
      raw: { width, height, channels: 4 },
      limitInputPixels: MOST_PIXELS,
    });
    return { kind: 'image', isOriginal: false, ...(await encode(image, false, into)) };
  }

  /** Upright pixels: red, green, blue and alpha. */
  async decode(number: number): Promise<Pixels | Unreadable> {
    const image = this.#images[number - 1];
    if (image === undefined) return { kind: 'refused', reason: 'DAMAGED', detail: { is: 'noSuchPage' } };
    const [width, height] = [image.get_width(), image.get_height()];
    if (width * height > MOST_PIXELS)
      return { kind: 'refused', reason: 'TOO_DEAR', detail: { is: 'pixels', width, height } };
    const into = { data: new Uint8ClampedArray(width * height * 4), width, height };
    const pixels = await new Promise<Pixels | null>((done) => {
      image.display(into, done);
    });
    return pixels ?? UNREADABLE;
  }
}

const UNREADABLE: Unreadable = {
  kind: 'refused',
  reason: 'DAMAGED',
  detail: { is: 'notDecoded' },
};

export async function openHeic(bytes: Buffer): Promise<HeicFile | Unreadable> {
  try {
    // Loaded on demand: it is large.
    const libheif = require('libheif-js/wasm-bundle') as Libheif;
    const images = new libheif.HeifDecoder().decode(bytes);
    const first = images.filter((image) => image.is_primary());
    const others = images.filter((image) => !image.is_primary());
    return images.length > 0 ? new HeicFile([...first, ...others]) : UNREADABLE;
  } catch {
    return UNREADABLE;
  }
}
