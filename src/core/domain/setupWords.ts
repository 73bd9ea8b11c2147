import { setupTexts, type SetupKey } from '../../texts/en/setup.ts';
import { expectedTexts, type Expected } from '../../texts/en/settingFlaws.ts';
import { findingTexts, type FindingFact } from '../../texts/en/findings.ts';
import { formatOf } from '../../texts/format.ts';
import { phrase } from '../../texts/phrase.ts';
import { filled, type Said } from '../../texts/setup.ts';
import type { ReceiptdError } from './errors.ts';
import { whyText, type WhyFact } from './why.ts';
import { counted, local } from './words.ts';

export type { SetupKey } from '../../texts/en/setup.ts';
export type { Said, SaidPart } from '../../texts/setup.ts';

type Marks<T extends string> = T extends `${string}{${infer Mark}}${infer Rest}` ? Mark | Marks<Rest> : never;
type Values<T extends string> = {
  readonly [M in Marks<T> as M extends `${infer Name}:${string}` ? Name : M]: M extends `${string}:${string}`
    ? number
    : string | number | Expected | WhyFact;
};

export function says<K extends SetupKey>(
  key: K,
  ...[given]: [Marks<(typeof setupTexts)[K]>] extends [never] ? [] : [Values<(typeof setupTexts)[K]>]
): Said {
  const values = given ?? {};
  return { text: filled(setupTexts[key], values, counted, valueText), parts: [{ key, values }] };
}

function valueText(fact: { readonly is: string }): string {
  if (Object.hasOwn(expectedTexts, fact.is)) return phrase(expectedTexts, fact);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a value is one or the other
  return whyText(fact as WhyFact);
}

/** What has words of its own, or is the same in every language. */
export const plain = (text: string | WhyFact): Said => says('plain', { text });

/** Joins several texts into one. */
export function joined(...said: readonly Said[]): Said {
  return { text: said.map(({ text }) => text).join(''), parts: said.flatMap(({ parts }) => parts) };
}

export function saysFinding(fact: Exclude<FindingFact, { is: 'error' | 'problem' }>): Said {
  const text = phrase(findingTexts(formatOf('en', local)), fact);
  return { text, parts: [{ key: fact.is, values: { ...fact } }] };
}

/** The sentence of an error; as it is if another version worded it. */
export function saysError(error: ReceiptdError): Said {
  const { key, params } = error;
  const text = error.sentence();
  return key === null ? plain(text) : { text, parts: [{ key, values: { ...params } }] };
}
