import { hiderOf } from './hideTexts.ts';

/** Takes secrets out of text that is about to be shown or stored (promise P7). */
export interface Redactor {
  /**
   * From now on this value is replaced wherever it appears, until many others have been named since. Values shorter
   * than 4 characters are ignored.
   */
  addSecret(value: string): void;
  redact(text: string): string;
  /** The same for a text whose end may have been cut off, and with it the end of a secret. */
  redactCut(text: string): string;
  /** Only the values that were named; nothing for what it looks like. */
  hide(text: string): string;
}

export const REDACTED = '[redacted]';

// Shorter "secrets" hide nothing and would make every line unreadable.
const MIN_LENGTH = 4;
/** Tokens come again for years; one that so many others have followed is over. What is in use is named again. */
const MOST_SECRETS = 32;

const BEARER = /\b(Bearer)(\s+)(?:[^\s"',;\\]+)/gi;

/** User and password in an address. The scheme has a limit, so that a long word costs no time. */
const USERINFO = /\b([a-z][a-z0-9+.-]{0,31}:\/\/)[^\s/?#"'<>\\]+@/gi;

const BASIC = /\b(Basic)(\s+)[A-Za-z0-9+/=]{4,}/g;

const SECRET_KEY = String.raw`(?:access|refresh|id)[_-]?token|client[_-]?secret`;

/**
 * `key=value`, `key: value` and JSON, also JSON inside a JSON string (`\"key\":\"value\"`). A quoted value
 * ends at the same quote; one that was cut short before its quote ends with the text.
 */
const ASSIGNED = new RegExp(
  String.raw`(${SECRET_KEY})((?:\\*["'])?\s*[:=]\s*)(?:(\\*["'])[\s\S]*?(?:(?<!\\)\3|$)|[^\s"',;&}\\]+)`,
  'gi',
);

/** What every text that one of the four above finds has in it. */
const MARKS = new RegExp(String.raw`://|bearer|basic|${SECRET_KEY}`, 'i');

const SECRET_FIELD = new RegExp(`${SECRET_KEY}|^authorization$|password`, 'i');

/** Whether a field of this name is a secret whatever its value looks like. */
export function isSecretField(name: string): boolean {
  return SECRET_FIELD.test(name);
}

export function createRedactor(secrets: readonly string[] = []): Redactor {
  /** The forms of each, the one named last at the end. */
  const forms = new Map<string, readonly string[]>();
  let known: ReturnType<typeof hiderOf> | null = null;

  const addSecret = (value: string): void => {
    if (value.length < MIN_LENGTH) return;
    const before = forms.get(value);
    forms.delete(value);
    forms.set(value, before ?? formsOf(value));
    if (before) return;
    const [oldest] = forms.keys();
    if (forms.size > MOST_SECRETS && oldest !== undefined) forms.delete(oldest);
    known = hiderOf([...forms.values()].flat());
  };

  for (const secret of secrets) addSecret(secret);

  const hide = (text: string): string => known?.(text, () => REDACTED) ?? text;

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
    redactCut: (text) => redact(withoutBeginning(hide(text), [...forms.values()].flat())),
  };
}

/** Without the beginning of one of `secrets` at its end. */
function withoutBeginning(text: string, secrets: readonly string[]): string {
  let most = 0;
  for (const secret of secrets) {
    let length = Math.min(secret.length - 1, text.length);
    while (length >= MIN_LENGTH && !text.endsWith(secret.slice(0, length))) length -= 1;
    if (length >= MIN_LENGTH) most = Math.max(most, length);
  }
  return most === 0 ? text : text.slice(0, -most) + REDACTED;
}

/** As it is, and as it looks inside JSON, JSON in JSON, a URL and a form. */
function formsOf(value: string): string[] {
  const json = jsonInner(value);
  // Through a Buffer: encodeURIComponent throws on half a surrogate pair.
  const uri = encodeURIComponent(Buffer.from(value).toString());
  const lowerHex = uri.replace(/%[0-9A-F]{2}/g, (hex) => hex.toLowerCase());
  const form = new URLSearchParams([['', value]]).toString().slice(1);
  return [value, json, jsonInner(json), uri, lowerHex, form];
}

function jsonInner(value: string): string {
  return JSON.stringify(value).slice(1, -1);
}
