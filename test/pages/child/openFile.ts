/** Opens files as a renderer process does, but in the test's process, for long tables: a process for each file takes half a second. */
import sharp from 'sharp';
import type { SplitType } from '../../../src/core/domain/imageType.ts';
import type { Unreadable } from '../../../src/core/ports/pages.ts';
import { openHeic } from '../../../src/pages/child/heic.ts';
import { JpegFile } from '../../../src/pages/child/jpeg.ts';
import type { Drawn, Opened } from '../../../src/pages/child/opened.ts';
import { openPdf } from '../../../src/pages/child/pdf.ts';
import { loadPdfium } from '../../../src/pages/child/pdfium.ts';
import { TiffFile } from '../../../src/pages/child/tiff.ts';

const OPEN: Readonly<
  Record<SplitType, (bytes: Buffer) => Opened | Unreadable | Promise<Opened | Unreadable>>
> = {
  pdf: async (bytes) => openPdf(await loadPdfium(), bytes),
  tiff: (bytes) => new TiffFile(bytes),
  heic: openHeic,
  jpeg: (bytes) => new JpegFile(bytes),
};

/** The first page, as it would be sent. */
export async function firstPage(type: SplitType, bytes: Buffer): Promise<Drawn | Unreadable> {
  const file = await OPEN[type](bytes);
  return file.kind === 'refused' ? file : file.page(sharp, 1, ['jpeg', 'png'], 200);
}
