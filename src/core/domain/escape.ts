/**
 * Control characters (C0, DEL, C1), line separators, bidirectional overrides, lone surrogates, and spaces and joiners without
 * width that no script needs. In a file name they could move the cursor, forge a log line, reverse text or make two names look the same.
 */
const UNSAFE = /[\p{Cc}\p{Cs}\u180e\u200b\u2028\u2029\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/gu;

/** Direction marks, zero-width characters and tags: invisible, so that different names look the same. */
const UNSEEN =
  /[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };
const LONG = Object.fromEntries(Object.entries(SHORT).map(([character, written]) => [written, character]));

/** Escapes unsafe characters; the result is a single line that is safe to print to a terminal. */
export function escapeUnsafe(text: string): string {
  return text.replace(UNSAFE, (character) => SHORT[character] ?? unicodeEscape(character));
}

/** Undoes `escapeUnsafe`, for a text that somebody copied from the terminal. */
export function unescaped(text: string): string {
  return text.replace(/\\(?:u([0-9a-f]{4})|[nrt])/g, (written, code?: string) =>
    code === undefined ? (LONG[written] ?? written) : String.fromCharCode(Number.parseInt(code, 16)),
  );
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
