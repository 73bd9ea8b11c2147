import { parsedPayload } from './result.ts';

/** Values of one result by JSON pointer (RFC 6901). Keeps all of them, because the format of results is not documented. */
export type Posted = Readonly<Record<string, PostedValue>>;
export type PostedValue = string | number | boolean;

/** Larger results are not parsed for values, because parsing blocks other work. */
const LARGEST_PAYLOAD = 256 * 1024;
const MOST_VALUES = 200;
const MOST_CHARACTERS = 8_000;
const LONGEST_VALUE = 300;
const LONGEST_POINTER = 200;
const DEEPEST = 8;

/** The ledger stores these in separate columns. */
const KNOWN = new Set(['/name', '/endpointUid', '/status']);

/** The values of a payload, within limits; null if it has none. @param text null if the payload is not text */
export function readPosted(text: string | null): Posted | null {
  if (text === null || text.length > LARGEST_PAYLOAD) return null;
  const value = parsedPayload(text);
  const found: [string, PostedValue][] = [];
  let left = MOST_CHARACTERS;
  const add = (pointer: string, each: PostedValue): void => {
    const kept = typeof each === 'string' ? shortened(each) : each;
    if (kept === '' || (typeof kept === 'number' && !Number.isFinite(kept))) return;
    if (pointer.length > LONGEST_POINTER || /[\p{Cc}\p{Surrogate}]/u.test(pointer) || KNOWN.has(pointer))
      return;
    left -= pointer.length + String(kept).length;
    if (left >= 0 && found.length < MOST_VALUES) found.push([pointer, kept]);
  };
  const walk = (node: unknown, pointer: string, depth: number): void => {
    if (left < 0 || found.length >= MOST_VALUES) return;
    if (typeof node === 'string' || typeof node === 'number' || typeof node === 'boolean') add(pointer, node);
    else if (typeof node === 'object' && node !== null && depth < DEEPEST)
      for (const [key, inner] of Object.entries(node)) walk(inner, `${pointer}/${escaped(key)}`, depth + 1);
  };
  if (typeof value === 'object' && value !== null) walk(value, '', 0);
  return found.length === 0 ? null : Object.fromEntries(found);
}

/** Shortens the text and keeps only characters that every database can store. */
function shortened(text: string): string {
  const plain = text.replace(/[\p{Cc}\s]+/gu, ' ').trim();
  return plain.slice(0, LONGEST_VALUE).replace(/\p{Surrogate}/gu, '\uFFFD');
}

function escaped(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** The latest value posted at this pointer. @param results oldest first */
export function lastPosted(results: readonly Posted[], pointer: string): PostedValue | null {
  for (const posted of results.toReversed()) {
    const value = Object.hasOwn(posted, pointer) ? posted[pointer] : undefined;
    if (value !== undefined) return value;
  }
  return null;
}

/** Filter for documents by a posted value. */
export interface ValueWanted {
  readonly pointer: string;
  /** Search words, all of which must occur. */
  readonly contains?: string | undefined;
  /** Numbers, or days such as 2026-05-14; bounds are inclusive. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** Parses an amount: a number, or a text such as `1.234,50 €` or `EUR 1,234.50`; null if it is none. */
export function amountOf(value: PostedValue): number | null {
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return null;
  const found = /^[^\d.,+-]{0,8}([+-]?\d[\d.,' \u00a0\u202f]*)[^\d]{0,8}$/u.exec(value);
  if (!found?.[1]) return null;
  const digits = found[1].replace(/[' \u00a0\u202f]/g, '').replace(/[.,]$/, '');
  // The last separator is decimal, unless three digits follow it: then it may separate thousands.
  const [, whole = '', , decimals] = /^([+-]?[\d.,]*?)(?:([.,])(\d{1,2}|\d{4,}))?$/.exec(digits) ?? [];
  const number = Number(`${whole.replace(/[.,]/g, '')}${decimals === undefined ? '' : `.${decimals}`}`);
  return Number.isFinite(number) ? number : null;
}

const NUMBER = /^[+-]?\d+(?:\.\d+)?$/;

/** A numeric bound; null if it has to be compared as text, like days. */
export const boundOf = (text: string): number | null => (NUMBER.test(text) ? Number(text) : null);
