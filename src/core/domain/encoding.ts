/**
 * What bytes are written in that are meant to be text in UTF-8 and are not: Windows saves text as UTF-16 in places, with a byte
 * order mark or without. Null: nothing speaks against UTF-8. Text in UTF-16 without a mark is valid UTF-8, full of NUL.
 */
export function foreignEncoding(bytes: Uint8Array): 'UTF-16' | 'binary' | null {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return 'UTF-16';
  // The usual case, at once: every command reads a configuration, before the loop below is compiled.
  if (!bytes.includes(0)) return null;
  let even = 0;
  let odd = 0;
  for (const [index, byte] of bytes.entries()) {
    if (byte !== 0) continue;
    if (index % 2 === 0) even += 1;
    else odd += 1;
  }
  // Of text in Latin letters every other byte is NUL.
  return Math.min(even, odd) === 0 && (even + odd) * 4 >= bytes.length ? 'UTF-16' : 'binary';
}
