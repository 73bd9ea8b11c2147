import { crc32 } from 'node:zlib';
import { drawReceipt } from '../../test/support/images.ts';

const SIGNATURE_AND_HEADER_BYTES = 33;

/** A drawn receipt as a scanner would save it. */
export function drawnPng(): Promise<Buffer> {
  return drawReceipt({ type: 'png', seed: 'bench', width: 900, height: 1600 });
}

/** The same picture with different bytes: adds a comment. */
export function stampedPng(image: Buffer, number: number): Buffer {
  const chunk = Buffer.from(`tEXtComment\0${number}`);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(chunk.length - 4);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(chunk));
  const [before, after] = [
    image.subarray(0, SIGNATURE_AND_HEADER_BYTES),
    image.subarray(SIGNATURE_AND_HEADER_BYTES),
  ];
  return Buffer.concat([before, length, chunk, check, after]);
}
