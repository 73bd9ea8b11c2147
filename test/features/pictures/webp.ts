/** The given number of bytes with the header of a WebP. */
export function webpOf(length: number): Buffer {
  const bytes = Buffer.alloc(length, 1);
  bytes.write('RIFF', 0, 'latin1');
  bytes.writeUInt32LE(length - 8, 4);
  bytes.write('WEBP', 8, 'latin1');
  return bytes;
}
