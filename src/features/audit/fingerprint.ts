import type { FileIdentity } from '../../core/domain/document.ts';

/**
 * A 53-bit hash of a file's path and identity, so that comparing a million files needs little memory. The chance that a file is
 * mistaken for one of a million others is one in nine billion.
 */
export function fingerprint(path: string, { size, mtimeNs, ctimeNs, inode }: FileIdentity): number {
  const text = `${path}\0${size} ${mtimeNs} ${ctimeNs} ${inode}`;
  let one = 0x811c9dc5;
  let other = 0x9e3779b9;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    one = Math.imul(one ^ unit, 0x01000193);
    other = Math.imul(other ^ unit, 0x85ebca6b);
    other ^= other >>> 15;
  }
  one = mix(one ^ other);
  other = mix(other);
  return (one >>> 11) * 2 ** 32 + (other >>> 0);
}

/** Mixes every bit into all others. */
function mix(bits: number): number {
  let mixed = Math.imul(bits ^ (bits >>> 16), 0x7feb352d);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x846ca68b);
  return mixed ^ (mixed >>> 16);
}
