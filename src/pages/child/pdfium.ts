/** The functions used of PDFium's C API (public/fpdfview.h, fpdf_edit.h). Pointers are addresses in its memory. */
export interface Pdfium {
  readonly HEAPU8: Uint8Array;
  readonly wasmExports: { malloc(bytes: number): number; free(pointer: number): void };
  _FPDF_InitLibraryWithConfig(config: number): void;
  _FPDF_LoadMemDocument(bytes: number, length: number, password: number): number;
  _FPDF_GetLastError(): number;
  _FPDF_GetPageCount(document: number): number;
  _FPDF_LoadPage(document: number, index: number): number;
  _FPDF_ClosePage(page: number): void;
  _FPDF_GetPageWidth(page: number): number;
  _FPDF_GetPageHeight(page: number): number;
  _FPDFPage_GetRotation(page: number): number;
  _FPDFPage_GetAnnotCount(page: number): number;
  _FPDFPage_CountObjects(page: number): number;
  _FPDFPage_GetObject(page: number, index: number): number;
  _FPDFPageObj_GetType(object: number): number;
  _FPDFPageObj_GetMatrix(object: number, matrix: number): number;
  _FPDFPageObj_GetBounds(object: number, left: number, bottom: number, right: number, top: number): number;
  _FPDFPageObj_HasTransparency(object: number): number;
  _FPDFTextObj_GetTextRenderMode(object: number): number;
  _FPDFImageObj_GetImageFilterCount(object: number): number;
  _FPDFImageObj_GetImageFilter(object: number, index: number, buffer: number, length: number): number;
  _FPDFImageObj_GetImageDataRaw(object: number, buffer: number, length: number): number;
  _FPDFBitmap_CreateEx(width: number, height: number, format: number, bytes: number, stride: number): number;
  _FPDFBitmap_FillRect(
    bitmap: number,
    x: number,
    y: number,
    width: number,
    height: number,
    colour: number,
  ): number;
  _FPDFBitmap_Destroy(bitmap: number): void;
  _FPDF_RenderPageBitmap(
    bitmap: number,
    page: number,
    x: number,
    y: number,
    width: number,
    height: number,
    rotate: number,
    flags: number,
  ): void;
  _FPDFDOC_InitFormFillEnvironment(document: number, info: number): number;
  _FPDF_FFLDraw(
    form: number,
    bitmap: number,
    page: number,
    x: number,
    y: number,
    width: number,
    height: number,
    rotate: number,
    flags: number,
  ): void;
}

/** Results of FPDF_GetLastError. */
export const PASSWORD = 4;
export const SECURITY = 5;
/** Results of FPDFPageObj_GetType. */
export const TEXT = 1;
export const IMAGE = 3;
/** Result of FPDFTextObj_GetTextRenderMode for text neither filled nor stroked, such as recognized text over a scan. */
export const INVISIBLE = 3;
/** Flags of FPDF_RenderPageBitmap: draw annotations; store red before blue. */
export const FLAGS = 0x01 | 0x10;
/** Format for FPDFBitmap_CreateEx: four bytes per pixel, the fourth unused. */
export const BGRX = 3;

export async function loadPdfium(): Promise<Pdfium> {
  const { PDFiumModule } = await import('@hyzyla/pdfium');
  // Its types declare only some of its functions.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const module = (await PDFiumModule({})) as unknown as Pdfium;
  module._FPDF_InitLibraryWithConfig(withNumbers(module, [2, 0, 0, 0, 0]));
  return module;
}

/** Writes 32-bit numbers to memory that is never freed; returns their address. */
function withNumbers(module: Pdfium, numbers: readonly number[]): number {
  const at = module.wasmExports.malloc(numbers.length * 4);
  const view = new DataView(module.HEAPU8.buffer);
  numbers.forEach((number, index) => view.setUint32(at + index * 4, number, true));
  return at;
}

/** Allocates memory for the duration of `work`. @throws OutOfMemory */
export function lend<T>(module: Pdfium, bytes: number, work: (at: number) => T): T {
  const at = module.wasmExports.malloc(bytes);
  if (at === 0) throw new OutOfMemory();
  try {
    return work(at);
  } finally {
    module.wasmExports.free(at);
  }
}

export class OutOfMemory extends Error {}
