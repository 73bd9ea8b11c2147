import { ReceiptdError } from '../domain/errors.ts';
import type { ConfigEdit } from '../daemon/control/protocol.ts';

const PASSWORD = /(:\/\/[^\s/@:]*:)[^\s/@]+(?=@)/g;
const HIDDEN = '***';

/** Without the passwords that URLs hold, such as that of a proxy (promise P7). */
export function hidePasswords<T>(value: T): T {
  if (typeof value === 'string') return value.replace(PASSWORD, `$1${HIDDEN}`) as T;
  if (Array.isArray(value)) return value.map(hidePasswords) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, hidePasswords(inner)])) as T;
}

/** Whoever was shown a hidden password must not write that down in its place. @throws ReceiptdError CONFIG_INVALID */
export function withPasswords(edits: readonly ConfigEdit[]): readonly ConfigEdit[] {
  for (const edit of edits) {
    if (edit.kind === 'remove' || !JSON.stringify(edit.value).includes(`:${HIDDEN}@`)) continue;
    throw new ReceiptdError('CONFIG_INVALID', `${edit.path.join('.')}: the password in this URL is hidden.`, {
      hint: 'Write it in full, or leave this key as it is.',
    });
  }
  return edits;
}
