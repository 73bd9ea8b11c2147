import sharp from 'sharp';
import type { SplitType } from '../../../src/core/domain/imageType.ts';
import { drawReceipt } from '../../support/images.ts';
import { HEIC } from '../../support/heic.ts';
import { pdfOf } from '../../support/pdf.ts';
import { tiffOf } from '../../support/tiff.ts';
import type { Origin } from '../images/mutate.ts';
import { placesOf } from '../images/places.ts';

export interface PagedOrigin extends Origin {
  readonly type: SplitType;
}

/** Small complete files of pages, so that most damage matters. */
export async function pagedOrigins(): Promise<readonly PagedOrigin[]> {
  const jpeg = await drawReceipt({ type: 'jpeg', seed: 'pages', width: 120, height: 160 });
  const scan = { jpeg, width: 120, height: 160 };
  const written = { content: 'BT /F1 24 Tf 72 700 Td (Total 12.30) Tj ET' };
  const shapes = { content: '0.5 g 10 10 200 300 re f 1 0 0 RG 4 w 0 0 m 300 400 l S' };
  const grey = (of: number) => ({ width: 24, height: 32, grey: of });
  const packed = (compression: 'lzw' | 'deflate' | 'jpeg') => sharp(jpeg).tiff({ compression }).toBuffer();
  const files: readonly (readonly [string, SplitType, Buffer])[] = [
    ['a scan', 'pdf', pdfOf([scan])],
    ['a page that is written', 'pdf', pdfOf([written])],
    ['pages of every kind', 'pdf', pdfOf([scan, written, shapes, { ...scan, rotate: 90 }])],
    ['a script', 'pdf', pdfOf([written], { script: 'app.alert\\(1\\)' })],
    ['an encrypted file', 'pdf', pdfOf([scan], { isEncrypted: true })],
    ['grey pages', 'tiff', tiffOf([grey(0), grey(128), grey(255)])],
    ['LZW', 'tiff', await packed('lzw')],
    ['Deflate', 'tiff', await packed('deflate')],
    ['a JPEG in it', 'tiff', await packed('jpeg')],
    ['a telephone', 'heic', HEIC],
    ['on its side', 'jpeg', await sharp(jpeg).withMetadata({ orientation: 6 }).jpeg().toBuffer()],
  ];
  return files.map(([name, type, bytes]) => ({ name, type, bytes, places: placesOf(type, bytes) }));
}
