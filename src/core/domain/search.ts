import type { Posted, PostedValue } from './posted.ts';

/**
 * Text search. The ledgers prefilter in SQL, and `isFound` makes the final decision, so that all ledgers give the same
 * results.
 */

const ASCII = /^[\0-\x7f]*$/;

/** Normalizes for comparison: compatibility forms, no diacritics, no case. `Mu\u0308ller`, `Müller` and `MULLER` become equal. */
export function fold(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  const bare = text.normalize('NFKD').replace(/\p{Mn}/gu, '');
  // Upper-casing turns `ß` into `ss`; lower-casing first covers `ẞ`. A final sigma is treated like any other sigma.
  return bare.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ');
}

/** Null if SQL's `lower` gives the same result: then the folded text need not be stored, which is the usual case. */
export function foldedUnlessAscii(text: string): string | null {
  return ASCII.test(text) ? null : fold(text);
}

/** The words of a search, all of which must occur in some field. */
export function searchWords(search: string): readonly string[] {
  return [
    ...new Set(
      fold(search)
        .split(/\s+/)
        .filter((word) => word !== ''),
    ),
  ];
}

/** The fields that a search covers. */
export interface Searchable {
  readonly name: string | null;
  readonly path: string;
  readonly sha256: string | null;
  readonly state: string;
  /** The service's status. */
  readonly status: string | null;
  readonly message: string | null;
  /** Results that the service posted about the document. */
  readonly posted: readonly Posted[];
}

export function isFound(
  { name, path, sha256, state, status, message, posted }: Searchable,
  words: readonly string[],
): boolean {
  if (words.length === 0) return true;
  const texts = [name, path, sha256, state, status, ...saidIn(message)].map((text) => fold(text ?? ''));
  const missing = words.filter((word) => !texts.some((text) => text.includes(word)));
  if (missing.length === 0 || posted.length === 0) return missing.length === 0;
  const values = posted.map(postedWords);
  return missing.every((word) => values.some((text) => text.includes(word)));
}

/** Names of parameters whose values are codes, which nobody reads. */
const CODES: ReadonlySet<string> = new Set(['is', 'code', 'key', 'kind']);

/** The texts in a stored message (why.ts), which a search compares: the service's words, paths, names. One that is no fact is a text itself. */
export function saidIn(message: string | null): readonly string[] {
  if (message?.startsWith('{') !== true) return message === null ? [] : [message];
  try {
    return textsIn(JSON.parse(message));
  } catch {
    return [message];
  }
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string' || typeof value === 'number') return [String(value)];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, part]) => (CODES.has(name) ? [] : textsIn(part)));
}

/** Searchable text of posted values: every usual spelling of each, folded, one per line. */
export function postedWords(posted: Posted): string {
  return fold(Object.values(posted).flatMap(spellings).join('\n'));
}

/** Spellings of amounts and days: 1234.5, 1234.50, 1234,50; 2026-05-14, 14.05.2026. */
function spellings(value: PostedValue): string[] {
  if (typeof value === 'boolean') return [];
  const text = String(value);
  const number = /^-?\d{1,12}(?:\.\d{1,2})?$/.exec(text);
  if (number) {
    const amount = Number(text).toFixed(2);
    return [...new Set([text, amount, amount.replace('.', ',')])];
  }
  const day = /^(\d{4})-(\d\d)-(\d\d)(?!\d)/.exec(text);
  return day ? [text, `${day[3]}.${day[2]}.${day[1]}`] : [text];
}
