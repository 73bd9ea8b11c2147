import { buildPdf, insertJpegSegment } from '../handmadeImages.ts';

/** The smallest complete JPEG: 8 by 8 grey pixels. */
const JPEG = Buffer.from(
  '/9j/2wBDAP//////////////////////////////////////////////////////////////////////////////////////2wBDAf//////////' +
    '////////////////////////////////////////////////////////////////////////////wAARCAAIAAgDASIAAhEBAxEB/8QAFQABAQ' +
    'AAAAAAAAAAAAAAAAAAAAP/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/8QAFAEBAAAAAAAAAAAAAAAAAAAAAP/EABQRAQAAAAAAAAAAAAAAAAAA' +
    'AAD/2gAMAwEAAhEDEQA/AKAA/9k=',
  'base64',
);
const COMMENT = 0xfe;

/** `maxFileSize` that the configuration of the office must set; `tooLarge` files exceed it. */
export const MAX_FILE_SIZE = 500_000;

export type Contents = 'image' | 'text' | 'pdf' | 'tooLarge' | 'empty' | 'half';

/** The bytes of a file, determined by `number`. */
export function contentsOf(contents: Contents, number: number): Buffer {
  const image = insertJpegSegment(JPEG, COMMENT, Buffer.from(String(number)));
  switch (contents) {
    case 'image':
      return image;
    case 'text':
      return Buffer.from(`Shopping list ${number}: paper, ink.\n`);
    case 'pdf':
      return buildPdf(String(number));
    case 'tooLarge':
      return Buffer.concat([image, Buffer.alloc(MAX_FILE_SIZE)]);
    case 'empty':
      return Buffer.alloc(0);
    case 'half':
      return image.subarray(0, image.length - 40);
  }
}
