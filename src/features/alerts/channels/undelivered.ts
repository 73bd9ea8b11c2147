import { ReceiptdError } from '../../../core/domain/errors.ts';

/** A sentence: what could not be done with whom, and why. */
export function undelivered(message: string, hint: string, cause?: unknown): ReceiptdError {
  return new ReceiptdError('ALERT_UNDELIVERED', message, { hint, cause });
}

const MOST_WORDS = 200;

/** What the other side said, fit for a sentence of ours: one line, and not too much of it. */
export function quoted(words: string): string {
  const line = words.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  return line.length > MOST_WORDS ? `${line.slice(0, MOST_WORDS)}…` : line;
}
