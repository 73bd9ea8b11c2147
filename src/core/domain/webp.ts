const HEADER_BYTES = 12;
/** What RIFF leaves out of its length. */
const UNCOUNTED = 8;

/** Whether these bytes say that they are one WebP, and are as long as they say. */
export function isWholeWebp(bytes: Buffer): boolean {
  if (bytes.length <= HEADER_BYTES) return false;
  const isRiff = bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP';
  return isRiff && bytes.readUInt32LE(4) + UNCOUNTED === bytes.length;
}
