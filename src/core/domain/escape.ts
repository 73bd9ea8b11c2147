/**
 * Control characters (C0, DEL, C1), line separators, bidirectional overrides and lone surrogates. In a file name
 * they could move the cursor, forge a log line or reverse text.
 */
const UNSAFE = /[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/** Direction marks, zero-width characters and tags: invisible, so that different names look the same. */
const UNSEEN =
  /[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Escapes unsafe characters; the result is a single line that is safe to print to a terminal. */
export function escapeUnsafe(text: string): string {
  return text.replace(UNSAFE, (character) => SHORT[character] ?? unicodeEscape(character));
}

/** For JSON text: uses only `\uXXXX`, the escape form that is valid JSON for these characters. */
export function escapeUnsafeJson(text: string): string {
  return text.replace(UNSAFE, unicodeEscape);
}

export function withoutUnseen(text: string): string {
  return text.replace(UNSEEN, '');
}

/** Replaces each unsafe character by `_`, for texts that can't contain escapes. */
export function replaceUnsafe(text: string): string {
  return text.replace(UNSAFE, '_');
}

function unicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
