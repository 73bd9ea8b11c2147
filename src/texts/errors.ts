import type { Translated, Within, Words } from './facts.ts';
import type { errorsTexts } from './en/errors.ts';

export type ErrorTexts = Translated<ReturnType<typeof errorsTexts>>;
export type ErrorKey = keyof ErrorTexts;

export function isErrorKey(texts: ErrorTexts, key: string): key is ErrorKey {
  return Object.hasOwn(texts, key);
}

/** The words of the error inside it, if there is one, in the language of the texts. */
export function withDetail<P extends object>(texts: ErrorTexts, params: P): P {
  const said = 'why' in params && Object(params.why) === params.why ? (params.why as object) : params;
  const { key, params: its = null } = isWithin(said) ? said.error : {};
  if (typeof key !== 'string' || !isErrorKey(texts, key)) return params;
  try {
    return { ...params, detail: wordsOf(texts, key, its).join(' ') };
  } catch {
    // Of another version.
    return params;
  }
}

function isWithin(params: object): params is Within {
  return (
    'error' in params && typeof params.error === 'object' && params.error !== null && 'key' in params.error
  );
}

/** `params`: those of the key; null for one that has none. */
export function wordsOf(texts: ErrorTexts, key: ErrorKey, params: object | null): Words {
  // Each function takes the parameters of its key.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const entry = texts[key] as Words | ((params: object | null) => Words);
  return typeof entry === 'function' ? entry(params && withDetail(texts, params)) : entry;
}
