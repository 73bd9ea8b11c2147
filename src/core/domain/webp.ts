const HEADER_BYTES = 12;
/** Header bytes that the RIFF length does not include. */
const UNCOUNTED = 8;

/** Whether the bytes are a WebP of exactly the length in its header. */
export function isWholeWebp(bytes: Buffer): boolean {
  if (bytes.length <= HEADER_BYTES) return false;
  const isRiff = bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP';
  return isRiff && bytes.readUInt32LE(4) + UNCOUNTED === bytes.length;
}
