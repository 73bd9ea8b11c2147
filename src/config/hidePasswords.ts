import { ReceiptdError } from '../core/domain/errors.ts';
import type { ConfigChange } from './change.ts';

/** Up to the last @ before the path, as URL parsers do; slashes may be escaped in quoted text. */
const USERINFO = /(:(?:\\?\/){2})([^\s/?#"'<>]+)(?=@)/g;
const HIDDEN = '***';
const HIDDEN_ONE = /[:/]\*{3}@/;

/** In a database address, a user without a password is not a secret. */
const DATABASE = /\bpostgres(?:ql)?$/i;

/** Hides passwords in URLs, such as a proxy's (promise P7), and also a user without a password, which may be a token. */
export function hidePasswords<T>(value: T): T {
  if (typeof value === 'string') return value.replace(USERINFO, hidden) as T;
  if (Array.isArray(value)) return value.map(hidePasswords) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, hidePasswords(inner)])) as T;
}

function hidden(whole: string, before: string, userinfo: string, at: number, text: string): string {
  const [user = '', ...password] = userinfo.split(':');
  if (password.length === 0 && DATABASE.test(text.slice(0, at))) return whole;
  return `${before}${password.length > 0 ? `${user}:` : ''}${HIDDEN}`;
}

/** Refuses edits that would overwrite a password with its hidden form. @throws ReceiptdError CONFIG_INVALID */
export function withPasswords(edits: readonly ConfigChange[]): readonly ConfigChange[] {
  for (const edit of edits) {
    if (edit.kind === 'remove' || !HIDDEN_ONE.test(JSON.stringify(edit.value))) continue;
    throw new ReceiptdError('CONFIG_INVALID.passwordHidden', { setting: edit.path.join('.') });
  }
  return edits;
}
