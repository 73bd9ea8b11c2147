import type { Translated, Words } from './facts.ts';
import type { errorsTexts } from './en/errors.ts';

export type ErrorTexts = Translated<ReturnType<typeof errorsTexts>>;
export type ErrorKey = keyof ErrorTexts;

export function isErrorKey(texts: ErrorTexts, key: string): key is ErrorKey {
  return Object.hasOwn(texts, key);
}

/** `params`: those of the key; null for one that has none. */
export function wordsOf(texts: ErrorTexts, key: ErrorKey, params: object | null): Words {
  // Each function takes the parameters of its key.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const entry = texts[key] as Words | ((params: object | null) => Words);
  return typeof entry === 'function' ? entry(params) : entry;
}
