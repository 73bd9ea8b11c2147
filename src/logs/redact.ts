import { hiderOf } from './hideTexts.ts';
import { formsOf, SHORTEST_SECRET } from './secretForms.ts';

/** Removes secrets from text before it is shown or stored (promise P7). */
export interface Redactor {
  /**
   * Replaces this value wherever it appears from now on, for as long as 10,000 newer ones are not known. Ignores
   * values shorter than 4 characters.
   */
  addSecret(value: string): void;
  redact(text: string): string;
  /** Whether `redact` would change neither this text nor any part of it. */
  isClean(text: string): boolean;
  /** Like `redact`, for truncated text, which may end within a secret. */
  redactCut(text: string): string;
  /** Replaces only the added values, without detecting secrets by pattern. */
  hide(text: string): string;
}

export const REDACTED = '[redacted]';

/** Bounds the memory of an agent that gets a new token every minute for a week, or every day for a lifetime. */
const MOST_SECRETS = 10_000;

const BEARER = /\b(Bearer)(\s+)(?:[^\s"',;\\]+)/gi;

/** User and password in a URL. The scheme's length is limited to avoid slow matching on long words. */
const USERINFO = /\b([a-z][a-z0-9+.-]{0,31}:\/\/)[^\s/?#"'<>\\]+@/gi;

const BASIC = /\b(Basic)(\s+)[A-Za-z0-9+/=]{4,}/g;

const SECRET_KEY = String.raw`(?:access|refresh|id)[_-]?token|client[_-]?secret`;

/**
 * `key=value`, `key: value` and JSON, also JSON inside a JSON string (`\"key\":\"value\"`). A quoted value
 * ends at the matching quote, or at the end of truncated text.
 */
const ASSIGNED = new RegExp(
  String.raw`(${SECRET_KEY})((?:\\*["'])?\s*[:=]\s*)(?:(\\*["'])[\s\S]*?(?:(?<!\\)\3|$)|[^\s"',;&}\\]+)`,
  'gi',
);

/** Quick test: any text that matches one of the four patterns above contains one of these. */
const MARKS = new RegExp(String.raw`://|bearer|basic|${SECRET_KEY}`, 'i');

const SECRET_FIELD = new RegExp(`${SECRET_KEY}|^authorization$|password`, 'i');

/** Whether a field with this name is secret, whatever its value. */
export function isSecretField(name: string): boolean {
  return SECRET_FIELD.test(name);
}

export function createRedactor(secrets: readonly string[] = []): Redactor {
  /** Encoded forms of each secret, the most recently added last. */
  const forms = new Map<string, readonly string[]>();
  let known: ReturnType<typeof hiderOf> | null = null;

  const addSecret = (value: string): void => {
    if (value.length < SHORTEST_SECRET) return;
    const before = forms.get(value);
    forms.delete(value);
    forms.set(value, before ?? formsOf(value));
    if (before) return;
    const [oldest] = forms.keys();
    if (forms.size > MOST_SECRETS && oldest !== undefined) forms.delete(oldest);
    known = null;
  };

  for (const secret of secrets) addSecret(secret);

  const hide = (text: string): string => {
    known ??= hiderOf([...forms.values()].flat());
    return known(text, () => REDACTED);
  };

  const redact = (text: string): string => {
    const hidden = hide(text);
    if (!MARKS.test(hidden)) return hidden;
    return hidden
      .replace(USERINFO, `$1${REDACTED}@`)
      .replace(BEARER, `$1$2${REDACTED}`)
      .replace(BASIC, `$1$2${REDACTED}`)
      .replace(ASSIGNED, (_all, key: string, between: string, quote: string | undefined) => {
        const mark = quote ?? '';
        return `${key}${between}${mark}${REDACTED}${mark}`;
      });
  };

  return {
    addSecret,
    hide,
    redact,
    isClean: (text) => hide(text) === text && !MARKS.test(text),
    redactCut: (text) => redact(withoutBeginning(hide(text), [...forms.values()].flat())),
  };
}

/** Removes a partial secret (the beginning of one of `secrets`) from the end. */
function withoutBeginning(text: string, secrets: readonly string[]): string {
  const end = text.slice(-SHORTEST_SECRET);
  let most = 0;
  for (const secret of secrets) {
    // From the longest possible beginning down.
    let at = secret.lastIndexOf(end, Math.min(secret.length - 1, text.length) - end.length);
    while (at > 0 && !text.endsWith(secret.slice(0, at + end.length))) at = secret.lastIndexOf(end, at - 1);
    if (at >= 0 && text.endsWith(secret.slice(0, at + end.length))) most = Math.max(most, at + end.length);
  }
  return most === 0 ? text : text.slice(0, -most) + REDACTED;
}
