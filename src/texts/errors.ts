import type { ErrorCode } from '../core/domain/errors.ts';
import type { errorsTexts } from './en/errors.ts';

/** What is wrong and where; what to do, if anything. */
export type Words = readonly [what: string, cure?: string];

/** By code, or by code and reason where a code has several sentences. */
export type Entries = Readonly<
  Partial<Record<ErrorCode | `${ErrorCode}.${string}`, Words | ((params: never) => Words)>>
>;

/** The same entries in another language. */
export type Translated<T> = {
  readonly [K in keyof T]: T[K] extends (params: infer P) => unknown ? (params: P) => Words : Words;
};

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
