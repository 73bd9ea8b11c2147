import type { PageType } from '../../core/domain/pages.ts';
import type { Unreadable } from '../../core/ports/pages.ts';
import { jpegGap } from '../../intake/image/structure/jpeg.ts';
import { encode, MOST_PIXELS, type SharpModule } from './encode.ts';
import type { Drawn, Opened } from './opened.ts';
import { BGRX, FLAGS, IMAGE, INVISIBLE, lend, PASSWORD, SECURITY, TEXT, type Pdfium } from './pdfium.ts';

const POINTS_PER_INCH = 72;
/** How far an image may extend beyond the page through rounding, as a share of the page's size. */
const BEYOND = 0.02;
/** How much an image may be turned or skewed through rounding, as a share of its size. */
const SKEWED = 0.001;
/** At least the size of FPDF_FORMFILLINFO. */
const FORM_BYTES = 256;

/** Opens a PDF that stays in PDFium's memory for the life of this process. */
export function openPdf(module: Pdfium, bytes: Buffer): PdfFile | Unreadable {
  const at = module.wasmExports.malloc(bytes.length);
  if (at === 0) return { kind: 'refused', reason: 'TOO_DEAR', detail: 'it is too large to be opened' };
  module.HEAPU8.set(bytes, at);
  const document = module._FPDF_LoadMemDocument(at, bytes.length, 0);
  if (document !== 0) return new PdfFile(module, document);
  const error = module._FPDF_GetLastError();
  return error === PASSWORD || error === SECURITY
    ? { kind: 'refused', reason: 'ENCRYPTED', detail: 'it is protected by a password' }
    : { kind: 'refused', reason: 'DAMAGED', detail: 'its structure is damaged' };
}

class PdfFile implements Opened {
  readonly kind = 'opened';
  readonly pages: number;
  readonly #module: Pdfium;
  readonly #document: number;
  #form: number | null = null;

  constructor(module: Pdfium, document: number) {
    this.#module = module;
    this.#document = document;
    this.pages = module._FPDF_GetPageCount(document);
  }

  async page(
    sharp: SharpModule,
    number: number,
    into: readonly PageType[],
    resolution: number,
  ): Promise<Drawn | Unreadable> {
    const module = this.#module;
    const page = module._FPDF_LoadPage(this.#document, number - 1);
    if (page === 0) return { kind: 'refused', reason: 'DAMAGED', detail: 'it is damaged' };
    let drawn: Bitmap;
    try {
      // Before drawing: afterwards the image data is no longer available.
      const scan = into.includes('jpeg') ? scanOf(module, page) : null;
      if (scan && (await isShownAsIs(sharp, scan)))
        return { kind: 'image', type: 'jpeg', bytes: scan, isOriginal: true };
      drawn = this.#draw(page, resolution);
    } finally {
      module._FPDF_ClosePage(page);
    }
    const { width, height, bytes } = drawn;
    const image = sharp(bytes, { raw: { width, height, channels: 4 }, limitInputPixels: MOST_PIXELS });
    const density = Math.round(resolution);
    return {
      kind: 'image',
      isOriginal: false,
      ...(await encode(image.removeAlpha().withMetadata({ density }), false, into)),
    };
  }

  /** Draws a page for viewing; `size` is its longer side in pixels. Null if there is no such page. */
  picture(number: number, size: number): Bitmap | null {
    const module = this.#module;
    const page = module._FPDF_LoadPage(this.#document, number - 1);
    if (page === 0) return null;
    try {
      const longer = Math.max(1, module._FPDF_GetPageWidth(page), module._FPDF_GetPageHeight(page));
      return this.#draw(page, (size / longer) * POINTS_PER_INCH);
    } finally {
      module._FPDF_ClosePage(page);
    }
  }

  #draw(page: number, resolution: number): Bitmap {
    const module = this.#module;
    const [wide, high] = [module._FPDF_GetPageWidth(page), module._FPDF_GetPageHeight(page)];
    const wanted = resolution / POINTS_PER_INCH;
    // A page may claim an enormous size.
    const scale = Math.min(wanted, Math.sqrt(MOST_DRAWN / Math.max(1, wide * high)));
    const width = Math.max(1, Math.min(MOST_SIDE, Math.floor(wide * scale)));
    const height = Math.max(1, Math.min(MOST_SIDE, Math.floor(high * scale)));
    this.#form ??= this.#forms();
    const form = this.#form;
    return lend(module, width * height * 4, (at) => {
      const bitmap = module._FPDFBitmap_CreateEx(width, height, BGRX, at, width * 4);
      module._FPDFBitmap_FillRect(bitmap, 0, 0, width, height, 0xffffffff);
      module._FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, FLAGS);
      if (form !== 0) module._FPDF_FFLDraw(form, bitmap, page, 0, 0, width, height, 0, FLAGS);
      module._FPDFBitmap_Destroy(bitmap);
      return { width, height, bytes: Buffer.from(module.HEAPU8.subarray(at, at + width * height * 4)) };
    });
  }

  /** Environment for drawing form fields; scripts are not run. */
  #forms(): number {
    const module = this.#module;
    const info = module.wasmExports.malloc(FORM_BYTES);
    module.HEAPU8.fill(0, info, info + FORM_BYTES);
    new DataView(module.HEAPU8.buffer).setUint32(info, 2, true);
    return module._FPDFDOC_InitFormFillEnvironment(this.#document, info);
  }
}

/** Cap on drawn pixels: about twice an A3 page at 300 dpi. */
const MOST_DRAWN = 40_000_000;
const MOST_SIDE = 20_000;

interface Bitmap {
  readonly width: number;
  readonly height: number;
  readonly bytes: Buffer;
}

/**
 * The JPEG of a scanned page, if the page shows only that: upright and uncropped. Invisible text may cover it. Null if
 * the page has to be drawn.
 */
function scanOf(module: Pdfium, page: number): Buffer | null {
  if (module._FPDFPage_GetRotation(page) !== 0 || module._FPDFPage_GetAnnotCount(page) > 0) return null;
  let image = 0;
  const count = module._FPDFPage_CountObjects(page);
  for (let index = 0; index < count; index += 1) {
    const object = module._FPDFPage_GetObject(page, index);
    const type = module._FPDFPageObj_GetType(object);
    if (type === TEXT && module._FPDFTextObj_GetTextRenderMode(object) === INVISIBLE) continue;
    if (type !== IMAGE || image !== 0) return null;
    image = object;
  }
  if (image === 0 || !isJpeg(module, image) || module._FPDFPageObj_HasTransparency(image) !== 0) return null;
  if (!isUpright(module, image) || !isOnPage(module, page, image)) return null;
  const bytes = dataOf(module, image);
  return jpegGap(bytes) === null ? bytes : null;
}

/**
 * Whether the JPEG looks the same outside the PDF. PDF viewers ignore its orientation, while other programs apply it, and
 * not all of them can show CMYK. False if it can't be read.
 */
async function isShownAsIs(sharp: SharpModule, bytes: Buffer): Promise<boolean> {
  try {
    const { orientation = 1, space } = await sharp(bytes, { limitInputPixels: MOST_PIXELS }).metadata();
    return orientation === 1 && (space === 'srgb' || space === 'b-w');
  } catch {
    return false;
  }
}

function isJpeg(module: Pdfium, image: number): boolean {
  if (module._FPDFImageObj_GetImageFilterCount(image) !== 1) return false;
  const size = module._FPDFImageObj_GetImageFilter(image, 0, 0, 0);
  return lend(module, size, (at) => {
    module._FPDFImageObj_GetImageFilter(image, 0, at, size);
    const name = Buffer.from(module.HEAPU8.subarray(at, at + size - 1)).toString('latin1');
    return name === 'DCTDecode' || name === 'DCT';
  });
}

function isUpright(module: Pdfium, image: number): boolean {
  const [a = 0, b = 0, c = 0, d = 0] = floats(module, 6, (at) => module._FPDFPageObj_GetMatrix(image, at));
  const limit = SKEWED * Math.max(Math.abs(a), Math.abs(d));
  return a > 0 && d > 0 && Math.abs(b) <= limit && Math.abs(c) <= limit;
}

function isOnPage(module: Pdfium, page: number, image: number): boolean {
  const [left = -1, bottom = -1, right = Infinity, top = Infinity] = floats(module, 4, (at) =>
    module._FPDFPageObj_GetBounds(image, at, at + 4, at + 8, at + 12),
  );
  const [wide, high] = [module._FPDF_GetPageWidth(page), module._FPDF_GetPageHeight(page)];
  const [x, y] = [wide * BEYOND, high * BEYOND];
  return left >= -x && bottom >= -y && right <= wide + x && top <= high + y;
}

function dataOf(module: Pdfium, image: number): Buffer {
  const size = module._FPDFImageObj_GetImageDataRaw(image, 0, 0);
  return lend(module, Math.max(1, size), (at) => {
    module._FPDFImageObj_GetImageDataRaw(image, at, size);
    return Buffer.from(module.HEAPU8.subarray(at, at + size));
  });
}

/** The 32-bit floats that a function writes; empty if it fails. */
function floats(module: Pdfium, count: number, write: (at: number) => number): number[] {
  return lend(module, count * 4, (at) => {
    if (write(at) === 0) return [];
    const view = new DataView(module.HEAPU8.buffer);
    return Array.from({ length: count }, (_, index) => view.getFloat32(at + index * 4, true));
  });
}
