import { errorsTexts } from '../../texts/en/errors.ts';
import { problemsTexts } from '../../texts/en/problems.ts';
import type { Detail } from '../../texts/facts.ts';
import { whyTexts, type WhyFact } from '../../texts/en/why.ts';
import { whyWords } from '../../texts/explain.ts';
import { faultText as wordsOfFault } from '../../texts/en/faults.ts';
import { faultOf, type FaultFact } from '../../texts/fault.ts';
import { formatOf } from '../../texts/format.ts';
import type { ReceiptdError } from './errors.ts';
import { local } from './words.ts';

export { codeOfFault, type FaultFact } from '../../texts/fault.ts';
export type { Detail } from '../../texts/facts.ts';
export type { AwayFact } from '../../texts/en/away.ts';
export type { ContentFact, GapFact, PageFlawFact } from '../../texts/en/imageFlaws.ts';
export type { JournalFlawFact, Quoted } from '../../texts/en/ledgerFindings.ts';
export type { SplitReason, WhyFact } from '../../texts/en/why.ts';

/*
 * The message of a document, file, attempt or hold: a code of the catalogue with its parameters. The ledger keeps it as JSON in a text
 * that it does not read; who shows it words it.
 */

export function toMessage(fact: WhyFact): string {
  return JSON.stringify(fact);
}

/** Null if there is none, or it is a text without parameters, such as who paused something. */
export function factOf(message: string | null | undefined): WhyFact | null {
  if (message?.startsWith('{"is":') !== true) return null;
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by `toMessage`
    return JSON.parse(message) as WhyFact;
  } catch {
    return null;
  }
}

/** An error that is why something waits. Its words are kept only if the catalogue has none. */
export function ofError(error: ReceiptdError): WhyFact {
  const { code, key, ...said } = error.facts();
  if (typeof key !== 'string') return { is: 'error', error: { code, ...said } };
  return { is: 'error', error: { code, message: code, key, params: said.params } };
}

let english: Parameters<typeof whyWords>[0] | undefined;

/** In English, for logs and for JSON. */
export function whyText(why: WhyFact | string): string {
  const format = formatOf('en', local);
  english ??= { why: whyTexts(format), errors: errorsTexts(format), ...problemsTexts(format) };
  return messageText(english, why);
}

/** In the language of the texts. */
export function messageText(texts: Parameters<typeof whyWords>[0], why: WhyFact | string): string {
  return whyWords(texts, {
    message: typeof why === 'string' ? why : why.is,
    fact: typeof why === 'string' ? factOf(why) : why,
  });
}

/** For a text that tells it along with something else: in English, and what every language words it from. */
export function within(why: WhyFact | string): Detail {
  return { detail: whyText(why), why: typeof why === 'string' ? factOf(why) : why };
}

/** As answers show it: the English sentence, and what it is made of. */
export interface Shown<Message> {
  readonly message: Message;
  readonly fact: Record<string, unknown> | null;
}

export function shown(why: WhyFact | string): Shown<string>;
export function shown(why: WhyFact | string | null): Shown<string | null>;
export function shown(why: WhyFact | string | null): Shown<string | null> {
  const fact = typeof why === 'string' ? factOf(why) : why;
  return { message: why === null ? null : whyText(why), fact: fact && { ...fact } };
}

export function faultText(fault: FaultFact): string {
  return wordsOfFault(fault, { faultOf });
}
