import type { PageType } from '../../core/domain/pages.ts';
import type { Unreadable } from '../../core/ports/pages.ts';
import { encode, MOST_PIXELS, type SharpModule } from './encode.ts';
import { serveFonts } from './fonts.ts';
import { jpegFrame } from './jpegFrame.ts';
import { lackingLetters } from './letters.ts';
import type { Drawn, Opened } from './opened.ts';
import {
  BGRX,
  bytesAt,
  copyOf,
  copyOfPage,
  FLAGS,
  lend,
  lendMatrix,
  PASSWORD,
  SECURITY,
  type Pdfium,
} from './pdfium.ts';
import { isPortfolio, onlyJpeg, plainPage, SQUASHED } from './plainPage.ts';

/** Result of FPDF_GetFormType for XFA forms without pages of their own (XFAF is another). */
const DYNAMIC_FORM = 2;
const POINTS_PER_INCH = 72;
/** At least the size of FPDF_FORMFILLINFO. */
const FORM_BYTES = 256;

/** Opens a PDF that stays in PDFium's memory for the life of this process. */
export function openPdf(module: Pdfium, bytes: Buffer): PdfFile | Unreadable {
  const at = module.pdfium.wasmExports.malloc(bytes.length);
  if (at === 0) return { kind: 'refused', reason: 'TOO_DEAR', detail: { is: 'largeToOpen' } };
  module.pdfium.HEAPU8.set(bytes, at);
  const load = (): number => module.FPDF_LoadMemDocument(at, bytes.length, '');
  const document = load();
  if (document !== 0) return placeholder(module, document) ?? new PdfFile(module, document, load);
  const error = module.FPDF_GetLastError();
  return error === PASSWORD || error === SECURITY
    ? { kind: 'refused', reason: 'ENCRYPTED', detail: { is: 'password' } }
    : { kind: 'refused', reason: 'DAMAGED', detail: { is: 'structure' } };
}

/** Files whose pages only tell people to open them in another program. */
function placeholder(module: Pdfium, document: number): Unreadable | null {
  if (module.FPDF_GetFormType(document) === DYNAMIC_FORM)
    return { kind: 'refused', reason: 'XFA_FORM', detail: { is: 'xfa' } };
  const files = module.FPDFDoc_GetAttachmentCount(document);
  if (files === 0 || !isPortfolio(copyOf(module, document))) return null;
  return { kind: 'refused', reason: 'PORTFOLIO', detail: { is: 'portfolio', files } };
}

const NO_PAGE: Unreadable = { kind: 'refused', reason: 'DAMAGED', detail: { is: 'damaged' } };

class PdfFile implements Opened {
  readonly kind = 'opened';
  readonly pages: number;
  readonly attachments: number;
  readonly #module: Pdfium;
  readonly #document: OpenDocument;
  readonly #load: () => number;
  /** The same file once more, opened when a page first needed fonts that PDFium lacks: it keeps those that it has chosen. */
  #withFonts: OpenDocument | null = null;

  constructor(module: Pdfium, document: number, load: () => number) {
    this.#module = module;
    this.#document = { document, form: formOf(module, document) };
    this.#load = load;
    this.pages = module.FPDF_GetPageCount(document);
    this.attachments = module.FPDFDoc_GetAttachmentCount(document);
  }

  page(
    sharp: SharpModule,
    number: number,
    into: readonly PageType[],
    resolution: number,
  ): Promise<Drawn | Unreadable> {
    return this.#with(this.#document, number, async (page) => {
      const scan = into.includes('jpeg') ? await this.#scanOf(sharp, page, number) : null;
      if (scan !== null) return { kind: 'image', type: 'jpeg', bytes: scan, isOriginal: true };
      const drawn = await this.#drawn(page, number, (each) => this.#sizeAt(each, resolution));
      if ('kind' in drawn) return drawn;
      const { width, height, bytes } = drawn;
      const image = sharp(bytes, { raw: { width, height, channels: 4 }, limitInputPixels: MOST_PIXELS });
      const density = Math.round(resolution);
      const encoded = await encode(image.removeAlpha().withMetadata({ density }), false, into);
      return { kind: 'image', isOriginal: false, ...encoded };
    });
  }

  /** Draws a page for viewing, as it would be sent; `size` is its longer side in pixels. */
  picture(number: number, size: number): Promise<Bitmap | Unreadable> {
    return this.#with(this.#document, number, (page) =>
      this.#drawn(page, number, (each) => {
        const longer = Math.max(1, ...Object.values(this.#pointsOf(each)));
        return this.#sizeAt(each, (size / longer) * POINTS_PER_INCH);
      }),
    );
  }

  async #with<T>(
    { document, form }: OpenDocument,
    number: number,
    work: (page: OpenPage) => Promise<T | Unreadable>,
  ): Promise<T | Unreadable> {
    const page = this.#module.FPDF_LoadPage(document, number - 1);
    if (page === 0) return NO_PAGE;
    try {
      return await work({ page, form });
    } finally {
      this.#module.FPDF_ClosePage(page);
    }
  }

  /** Draws a page with all of its text, or refuses it. */
  async #drawn(
    page: OpenPage,
    number: number,
    sizeOf: (page: OpenPage) => Size,
  ): Promise<Bitmap | Unreadable> {
    const module = this.#module;
    if (lackingLetters(module, page.page) === '') return this.#draw(page, sizeOf(page));
    if (this.#withFonts === null) {
      serveFonts(module);
      const document = this.#load();
      if (document === 0) return NO_PAGE;
      this.#withFonts = { document, form: formOf(module, document) };
    }
    return this.#with(this.#withFonts, number, async (again) => {
      const lacking = lackingLetters(module, again.page);
      if (lacking === '') return this.#draw(again, sizeOf(again));
      return { kind: 'refused', reason: 'FONT_MISSING', detail: { is: 'fontMissing', letters: lacking } };
    });
  }

  /** The JPEG that a page shows: it is understood, or the drawing shows the same. Null: the page has to be drawn. */
  async #scanOf(sharp: SharpModule, page: OpenPage, number: number): Promise<Buffer | null> {
    const copy = copyOfPage(this.#module, this.#document.document, number - 1);
    if (copy === null) return null;
    const plain = plainPage(copy);
    const scan = plain ?? onlyJpeg(copy);
    const frame = scan && jpegFrame(scan.jpeg);
    if (!scan || frame?.width !== scan.width || frame.height !== scan.height) return null;
    if (plain !== null && frame.isPlain && frame.components === plain.colours) return plain.jpeg;
    const { wide, high } = this.#pointsOf(page);
    const isSquashed = Math.abs((wide * scan.height) / (high * scan.width) - 1) > SQUASHED;
    if (isSquashed || scan.width * scan.height > MOST_DRAWN) return null;
    // Letters that the drawing lacks are letters in which it does not differ.
    if (lackingLetters(this.#module, page.page) !== '') return null;
    return (await agree(sharp, scan.jpeg, this.#draw(page, scan, WITHIN))) ? scan.jpeg : null;
  }

  #pointsOf({ page }: OpenPage): { readonly wide: number; readonly high: number } {
    const module = this.#module;
    return { wide: module.FPDF_GetPageWidthF(page), high: module.FPDF_GetPageHeightF(page) };
  }

  #sizeAt(page: OpenPage, resolution: number): Size {
    const { wide, high } = this.#pointsOf(page);
    // A page may claim an enormous size.
    const scale = Math.min(resolution / POINTS_PER_INCH, Math.sqrt(MOST_DRAWN / Math.max(1, wide * high)));
    return {
      width: Math.max(1, Math.min(MOST_SIDE, Math.floor(wide * scale))),
      height: Math.max(1, Math.min(MOST_SIDE, Math.floor(high * scale))),
    };
  }

  /** @param within how far from each edge the page ends, in pixels */
  #draw({ page, form }: OpenPage, { width, height }: Size, within = 0): Bitmap {
    const module = this.#module;
    const { wide, high } = this.#pointsOf({ page, form });
    return lend(module, width * height * 4, (at) => {
      const bitmap = module.FPDFBitmap_CreateEx(width, height, BGRX, at, width * 4);
      module.FPDFBitmap_FillRect(bitmap, 0, 0, width, height, 0xffffffff);
      if (within === 0) module.FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, FLAGS);
      else {
        const [across, down] = [(width - 2 * within) / wide, (height - 2 * within) / high];
        lendMatrix(module, [across, 0, 0, down, within, within], { width, height }, (matrix, clip) =>
          module.FPDF_RenderPageBitmapWithMatrix(bitmap, page, matrix, clip, FLAGS),
        );
      }
      if (form !== 0) module.FPDF_FFLDraw(form, bitmap, page, 0, 0, width, height, 0, FLAGS);
      module.FPDFBitmap_Destroy(bitmap);
      return { width, height, bytes: bytesAt(module, at, width * height * 4) };
    });
  }
}

interface OpenDocument {
  readonly document: number;
  /** Environment for drawing form fields. */
  readonly form: number;
}

interface OpenPage extends Pick<OpenDocument, 'form'> {
  readonly page: number;
}

/** Scripts are not run. */
function formOf(module: Pdfium, document: number): number {
  const info = module.pdfium.wasmExports.malloc(FORM_BYTES);
  module.pdfium.HEAPU8.fill(0, info, info + FORM_BYTES);
  module.pdfium.setValue(info, 2, 'i32');
  return module.FPDFDOC_InitFormFillEnvironment(document, info);
}

/** Cap on drawn pixels: about twice an A3 page at 300 dpi. */
const MOST_DRAWN = 40_000_000;
const MOST_SIDE = 20_000;

interface Size {
  readonly width: number;
  readonly height: number;
}

interface Bitmap extends Size {
  /** Red, green, blue and an unused byte for each pixel. */
  readonly bytes: Buffer;
}

/** An image that is larger than the bitmap by a rounding error would be drawn one pixel larger, and all of its pixels blurred. */
const WITHIN = 0.01;
/** Two decoders differ by a few levels; a line, a stamp or a mask by more. */
const MOST_DIFFERENT = 24;

/** Whether a JPEG and the drawing of its page at the same size show the same, pixel by pixel. */
async function agree(sharp: SharpModule, jpeg: Buffer, { bytes: drawn }: Bitmap): Promise<boolean> {
  const pixels = await sharp(jpeg, { limitInputPixels: MOST_PIXELS, failOn: 'error' })
    .toColourspace('srgb')
    .removeAlpha()
    .raw()
    .toBuffer();
  if (pixels.length * 4 !== drawn.length * 3) return false;
  for (let at = 0, pixel = 0; at < pixels.length; at += 3, pixel += 4) {
    if (
      Math.abs((pixels[at] ?? 0) - (drawn[pixel] ?? 0)) > MOST_DIFFERENT ||
      Math.abs((pixels[at + 1] ?? 0) - (drawn[pixel + 1] ?? 0)) > MOST_DIFFERENT ||
      Math.abs((pixels[at + 2] ?? 0) - (drawn[pixel + 2] ?? 0)) > MOST_DIFFERENT
    )
      return false;
  }
  return true;
}
