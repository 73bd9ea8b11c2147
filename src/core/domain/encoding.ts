import type { NotUtf8 } from '../../texts/facts.ts';

export type { NotUtf8 } from '../../texts/facts.ts';

/** UTF-8 text without a byte order mark, as people and their editors write it; else what it is instead. */
export function decodedText(bytes: Uint8Array): { readonly text: string } | { readonly encoding: NotUtf8 } {
  const encoding = foreignEncoding(bytes);
  return encoding === null ? { text: new TextDecoder('utf-8').decode(bytes) } : { encoding };
}

/** For text that a shell wrote: PowerShell redirects its output as UTF-16. */
export function anyText(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (foreignEncoding(bytes) !== 'UTF-16') return new TextDecoder('utf-8').decode(bytes);
  const isBig = (first === 0xfe && second === 0xff) || first === 0;
  return new TextDecoder(isBig ? 'utf-16be' : 'utf-16le').decode(bytes);
}

/**
 * Detects bytes that are not UTF-8 text as expected. Some Windows programs save UTF-16, with or without a byte order mark;
 * without one it may be valid UTF-8, but full of NUL. Null: nothing suggests another encoding.
 */
export function foreignEncoding(bytes: Uint8Array): NotUtf8 | null {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return 'UTF-16';
  // Fast path: every command reads a configuration, before the loop below is JIT-compiled.
  if (!bytes.includes(0)) return null;
  let even = 0;
  let odd = 0;
  for (const [index, byte] of bytes.entries()) {
    if (byte !== 0) continue;
    if (index % 2 === 0) even += 1;
    else odd += 1;
  }
  // In UTF-16 text with Latin letters, every other byte is NUL.
  return Math.min(even, odd) === 0 && (even + odd) * 4 >= bytes.length ? 'UTF-16' : 'binary';
}
