import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { WrappedPdfiumModule } from '@embedpdf/pdfium';

/** PDFium's C API (public/fpdfview.h, fpdf_edit.h and others). Pointers are addresses in its memory. */
export type Pdfium = WrappedPdfiumModule;

/** Results of FPDF_GetLastError. */
export const PASSWORD = 4;
export const SECURITY = 5;
/** Flags of FPDF_RenderPageBitmap: draw annotations; store red before blue. */
export const FLAGS = 0x01 | 0x10;
/** Format for FPDFBitmap_CreateEx: four bytes per pixel, the fourth unused. */
export const BGRX = 3;

const { resolve } = createRequire(import.meta.url);

export async function loadPdfium(): Promise<Pdfium> {
  const { init } = await import('@embedpdf/pdfium');
  const wasm = await readFile(resolve('@embedpdf/pdfium/pdfium.wasm'));
  const module = await init({ wasmBinary: new Uint8Array(wasm).buffer });
  module.FPDF_InitLibraryWithConfig(numbers(module, [2, 0, 0, 0, 0]));
  return module;
}

/** A file of one page, written as PDFium understands it: complete, not encrypted, in one simple form. Null if it can't be copied. */
export function copyOfPage(module: Pdfium, document: number, index: number): Buffer | null {
  const target = module.FPDF_CreateNewDocument();
  if (target === 0) return null;
  try {
    const isCopied = lend(module, 4, (at) => {
      module.pdfium.setValue(at, index, 'i32');
      return module.FPDF_ImportPagesByIndex(target, document, at, 1, 0);
    });
    return isCopied ? copyOf(module, target) : null;
  } finally {
    module.FPDF_CloseDocument(target);
  }
}

/** The same of a whole file. */
export function copyOf(module: Pdfium, document: number): Buffer | null {
  const writer = writers.get(module) ?? writerOf(module);
  writers.set(module, writer);
  writer.pieces.length = 0;
  const isWritten = module.FPDF_SaveAsCopy(document, writer.at, 0);
  const copy = isWritten ? Buffer.concat(writer.pieces) : null;
  writer.pieces.length = 0;
  return copy;
}

/** Where PDFium writes files to: an FPDF_FILEWRITE (fpdf_save.h). `PDFiumExt_SaveAsCopy` copies everything three times. */
interface Writer {
  readonly at: number;
  readonly pieces: Buffer[];
}

/** A function can't be taken back from PDFium. */
const writers = new WeakMap<Pdfium, Writer>();

function writerOf(module: Pdfium): Writer {
  const pieces: Buffer[] = [];
  const write = module.pdfium.addFunction((_writer: number, at: number, size: number) => {
    pieces.push(bytesAt(module, at, size));
    return 1;
  }, 'iiii');
  return { at: numbers(module, [1, write]), pieces };
}

/** Writes 32-bit numbers to memory that is never freed; returns their address. */
export function numbers(module: Pdfium, values: readonly number[]): number {
  const at = module.pdfium.wasmExports.malloc(values.length * 4);
  values.forEach((value, index) => module.pdfium.setValue(at + index * 4, value, 'i32'));
  return at;
}

/** A copy of its memory. */
export function bytesAt(module: Pdfium, at: number, size: number): Buffer {
  return Buffer.from(module.pdfium.HEAPU8.subarray(at, at + size));
}

/** Allocates memory for the duration of `work`. @throws OutOfMemory */
export function lend<T>(module: Pdfium, bytes: number, work: (at: number) => T): T {
  const at = module.pdfium.wasmExports.malloc(bytes);
  if (at === 0) throw new OutOfMemory();
  try {
    return work(at);
  } finally {
    module.pdfium.wasmExports.free(at);
  }
}

/** Lends an FS_MATRIX and an FS_RECTF, which contains all of a bitmap. */
export function lendMatrix(
  module: Pdfium,
  matrix: readonly number[],
  { width, height }: { readonly width: number; readonly height: number },
  work: (matrix: number, clip: number) => void,
): void {
  const values = [...matrix, 0, 0, width, height];
  lend(module, values.length * 4, (at) => {
    values.forEach((value, index) => module.pdfium.setValue(at + index * 4, value, 'float'));
    work(at, at + matrix.length * 4);
  });
}

export class OutOfMemory extends Error {}
