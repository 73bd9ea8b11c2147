const MOST_WORDS = 200;

/** Shortens the other side's message to one line, to quote it in a sentence. */
export function quoted(words: string): string {
  const line = words.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  return line.length > MOST_WORDS ? `${line.slice(0, MOST_WORDS)}…` : line;
}
