import { crc32, deflateSync } from 'node:zlib';
import { CHANNELS, type PaintedPicture } from './paint.ts';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** Encodes a picture as a PNG file without a library: an installed receiptd has no image library for drawing. */
export function encodePng({ pixels, width, height }: PaintedPicture): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // 8 bits per channel, RGB, no interlacing.
  header.set([8, 2, 0, 0, 0], 8);
  const rowBytes = width * CHANNELS;
  // Each row starts with its filter type: none.
  const rows = Buffer.alloc(height * (rowBytes + 1));
  for (let y = 0; y < height; y += 1)
    pixels.copy(rows, y * (rowBytes + 1) + 1, y * rowBytes, (y + 1) * rowBytes);
  const chunks = [chunk('IHDR', header), chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([SIGNATURE, ...chunks]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}
