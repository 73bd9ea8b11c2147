/* Assembles document names from parts, within a length limit, without ever using the name of another image. */

export const HASH_DIGITS = 64;
/** The last proposal may be the whole hash, so a lower limit is impossible. */
export const MIN_NAME_BYTES = HASH_DIGITS;

/**
 * Names in order of preference; or, if they contain the endpoint's number `{seq}`, the parts to assemble once it is known.
 * Plain data. Everything but the number is already rendered: dates in the time zone of this machine.
 */
export type Naming = readonly string[] | NumberedNaming;

export interface NumberedNaming {
  readonly parts: readonly (Value | SeqNumber)[];
  /** As in NameContext. */
  readonly hash: string;
  readonly maxBytes: number;
}

/** Placeholder for the sequence number. */
export interface SeqNumber {
  /** Minimum number of digits. */
  readonly width: number;
}

export function usesSeq(naming: Naming): naming is NumberedNaming {
  return 'parts' in naming;
}

/** Names in order of preference; `seq` is used only if `usesSeq`. */
export function namesOf(naming: Naming, seq: number): readonly string[] {
  return usesSeq(naming) ? numbered(naming, seq) : naming;
}

export function numbered({ parts, hash, maxBytes }: NumberedNaming, seq: number): string[] {
  const values = parts.map((part) =>
    'width' in part ? valueOf(String(seq).padStart(part.width, '0'), true) : part,
  );
  const limit = Math.max(maxBytes, MIN_NAME_BYTES);
  const names = [0, 16, HASH_DIGITS].map((digits) => assemble(values, hash.slice(0, digits), limit));
  // A name that ends in a whole hash is reserved for the image with that hash.
  const foreign = (name: string) => /(?:^|-)[0-9a-f]{64}$/i.test(name) && !name.endsWith(hash);
  return [...new Set(names)].filter((name) => name !== '' && !foreign(name));
}

/** A part of a name. */
interface Value {
  readonly text: string;
  readonly kept: boolean;
  /** In bytes. */
  readonly size: number;
}

/**
 * Characters that would break a line, a path or the reading direction: control characters, line separators, slashes,
 * lone surrogates, bidirectional overrides and isolates, the byte order mark. Anything else is kept,
 * including decomposed letters and joined emoji.
 */
const FORBIDDEN = /[\p{Cc}\p{Cs}\u2028\u2029/\\\u202A-\u202E\u2066-\u2069\uFEFF]/gu;

export function valueOf(given: string, kept: boolean): Value {
  const text = given.replace(FORBIDDEN, '_');
  return { text, kept, size: byteLength(text) };
}

/** Falls back to the hash alone (or an empty name without one) if the unshortenable parts do not fit. */
function assemble(values: readonly Value[], hash: string, limit: number): string {
  const suffix = hash === '' ? '' : `-${hash}`;
  const name = trim(fit(values, limit - suffix.length)) || (values.every(({ kept }) => !kept) ? '_' : '');
  return name === '' || name.length + suffix.length > limit ? hash : name + suffix;
}

/** Removes white space and dots at the ends, so the result is neither `.` nor `..`. */
function trim(name: string): string {
  return name.replace(/^[\s.]+/u, '').replace(/[\s.]+$/u, '');
}

/** Shortens the longest values first, so that separators and short words outlast a long file name. */
function fit(values: readonly Value[], limit: number): string {
  let room = limit;
  let wanted = 0;
  for (const { kept, text, size } of values) {
    if (kept) room -= text.length;
    else wanted += size;
  }
  if (room < 0) return '';
  const texts = values.map(({ text }) => text);
  if (wanted <= room) return texts.join('');

  const flexible = values.map((value, index) => ({ ...value, index }));
  const byLength = flexible.filter(({ kept }) => !kept).sort((a, b) => a.size - b.size);
  byLength.forEach(({ text, index, size }, i) => {
    const share = Math.floor(room / (byLength.length - i));
    const shortened = size <= share ? text : shorten(text, share);
    texts[index] = shortened;
    room -= byteLength(shortened);
  });
  return texts.join('');
}

/** Cuts between graphemes, so that no letter loses its accent. */
function shorten(text: string, maxBytes: number): string {
  let used = 0;
  let end = 0;
  // Created on first use: rarely needed, and slow compared with the rest of the startup.
  graphemes ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  for (const { segment, index } of graphemes.segment(text)) {
    used += byteLength(segment);
    if (used > maxBytes) break;
    end = index + segment.length;
  }
  return text.slice(0, end);
}

let graphemes: Intl.Segmenter | undefined;

/** Length in UTF-8 of a text without lone surrogates; faster than encoding it. */
function byteLength(text: string): number {
  let bytes = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) bytes += 1;
    // A surrogate pair takes four bytes: two for each half.
    else if (unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff)) bytes += 2;
    else bytes += 3;
  }
  return bytes;
}
