import type { Posted, PostedValue } from './posted.ts';

/**
 * What a search compares. The ledgers filter roughly, in SQL, and `isFound` decides: so that all of them, and whoever checks
 * them, agree.
 */

const ASCII = /^[\0-\x7f]*$/;

/** Compatibility forms, without marks, upper and lower case alike: `Mu\u0308ller`, `Müller` and `MULLER` are one. */
export function fold(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  const bare = text.normalize('NFKD').replace(/\p{Mn}/gu, '');
  // By way of upper case `ß` is `ss` (and `ẞ`, whose upper case it is itself). A sigma at the end of a word is one like the others.
  return bare.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ');
}

/** Null where SQL's `lower` does the same: stored beside a text, this costs nothing for most. */
export function foldedUnlessAscii(text: string): string | null {
  return ASCII.test(text) ? null : fold(text);
}

/** What a search is for: every word must be found somewhere. */
export function searchWords(search: string): readonly string[] {
  return [
    ...new Set(
      fold(search)
        .split(/\s+/)
        .filter((word) => word !== ''),
    ),
  ];
}

/** What is looked through. */
export interface Searchable {
  readonly name: string | null;
  readonly path: string;
  readonly sha256: string | null;
  readonly state: string;
  /** The service's. */
  readonly status: string | null;
  readonly message: string | null;
  /** What it posted about the document. */
  readonly posted: readonly Posted[];
}

export function isFound(
  { name, path, sha256, state, status, message, posted }: Searchable,
  words: readonly string[],
): boolean {
  if (words.length === 0) return true;
  const texts = [name, path, sha256, state, status, message].map((text) => fold(text ?? ''));
  const missing = words.filter((word) => !texts.some((text) => text.includes(word)));
  if (missing.length === 0 || posted.length === 0) return missing.length === 0;
  const values = posted.map(postedWords);
  return missing.every((word) => values.some((text) => text.includes(word)));
}

/** What of posted values is compared: each value as it is written here and there, folded, in lines. */
export function postedWords(posted: Posted): string {
  return fold(Object.values(posted).flatMap(spellings).join('\n'));
}

/** An amount and a day have more than one: 1234.5, 1234.50, 1234,50; 2026-05-14, 14.05.2026. */
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
