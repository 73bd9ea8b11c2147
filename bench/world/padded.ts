import { insertJpegSegment } from '../../test/support/handmadeImages.ts';

const COMMENT = 0xfe;
const MOST_CONTENT = 65_533;

/** The same picture, padded with comments to at least `bytes`. */
export function padded(jpeg: Buffer, bytes: number): Buffer {
  const comment = insertJpegSegment(jpeg.subarray(0, 2), COMMENT, Buffer.alloc(MOST_CONTENT, 'x')).subarray(
    2,
  );
  const comments = Array.from({ length: Math.ceil((bytes - jpeg.length) / comment.length) }, () => comment);
  return Buffer.concat([jpeg.subarray(0, 2), ...comments, jpeg.subarray(2)]);
}
