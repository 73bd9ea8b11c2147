import { isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';
import { readPosted } from '../core/domain/posted.ts';
import { postedWords } from '../core/domain/search.ts';
import type { PayloadEncoding } from '../core/ports/results.ts';

/** A payload as it is stored. */
interface KeptPayload {
  readonly encoding: PayloadEncoding;
  readonly payload: string;
  readonly sha256: string;
}

export function keptOf(payload: Uint8Array): KeptPayload {
  return { ...textOf(payload), sha256: hash('sha256', payload, 'hex') };
}

/** Base64 if the bytes are not UTF-8, or if escaping them would take more space than Base64. */
function textOf(payload: Uint8Array): Omit<KeptPayload, 'sha256'> {
  const bytes = Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength);
  // SQLite's own functions and other programs end a text at a NUL character; PostgreSQL allows none.
  if (isUtf8(bytes) && !bytes.includes(0) && escapes(bytes) * 6 < bytes.length / 4 + 64)
    return { encoding: 'utf8', payload: bytes.toString('utf8') };
  return { encoding: 'base64', payload: bytes.toString('base64') };
}

/** Counts control characters that JSON escapes as six; line feeds and the like take two, and are common. */
function escapes(bytes: Buffer): number {
  let count = 0;
  for (const byte of bytes) if (byte < 32 && byte !== 9 && byte !== 10 && byte !== 13) count += 1;
  return count;
}

/** Columns for search and display, derived from the payload alone. */
export function postedOf({ encoding, payload }: { encoding: PayloadEncoding; payload: string | null }): {
  readonly fields: string | null;
  readonly words: string | null;
} {
  const posted = encoding === 'utf8' ? readPosted(payload) : null;
  if (posted === null) return { fields: null, words: null };
  return { fields: JSON.stringify(posted), words: postedWords(posted) };
}
