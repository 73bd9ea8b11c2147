import type { Translated } from './facts.ts';
import type { errorsTexts } from './en/errors.ts';

export type ErrorTexts = Translated<ReturnType<typeof errorsTexts>>;
export type ErrorKey = keyof ErrorTexts;

export function isErrorKey(texts: ErrorTexts, key: string): key is ErrorKey {
  return Object.hasOwn(texts, key);
}
