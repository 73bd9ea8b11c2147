/**
 * Control characters (C0, DEL, C1), line separators, bidirectional overrides and lone surrogates. A file name
 * may carry them, and they would move the cursor, forge a log line or turn text around.
 */
const UNSAFE = /[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/** Marks of direction, characters without width, and tags: nobody sees them, and what is seen is not what is there. */
const UNSEEN =
  /[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Shows unsafe characters as escapes; the result is one line that a terminal prints as it stands. */
export function escapeUnsafe(text: string): string {
  return text.replace(UNSAFE, (character) => SHORT[character] ?? unicodeEscape(character));
}

/** `text` is JSON, in which only escapes of the form `\uXXXX` are valid for what JSON itself leaves bare. */
export function escapeUnsafeJson(text: string): string {
  return text.replace(UNSAFE, unicodeEscape);
}

export function withoutUnseen(text: string): string {
  return text.replace(UNSEEN, '');
}

/** Each as one `_`, where escapes can't stand. */
export function replaceUnsafe(text: string): string {
  return text.replace(UNSAFE, '_');
}

function unicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
