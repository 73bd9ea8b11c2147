import type { ErrorCode } from '../../core/domain/errors.ts';
import { meaningOf, statusOf } from '../../texts/answers.ts';
import { explain, whyWords } from '../../texts/explain.ts';
import { codeOfFault, type FaultFact } from '../../texts/fault.ts';
import { t } from './texts.ts';

/** What is wrong and what to do, for an error; null for an unknown code. */
export function explanationOf(code: string): { readonly what: string; readonly cure: string } | null {
  // An agent of another version may have other codes.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return explain(t, code as ErrorCode);
}

/** Why something was not sent, as a sentence; null for an unknown reason. */
export function reasonText(reason: string, state?: string): string | null {
  const status = statusOf(reason);
  if (status !== null) {
    const text = t.reasons[state === 'unconfirmed' ? 'mayHaveIt' : meaningOf(status)];
    return t.reasons.withCode(text, `HTTP ${status}`);
  }
  const system = own(t.reasons.system, reason) ?? ofSystem(reason, state);
  if (system !== undefined) return t.reasons.withCode(system, reason);
  const plain =
    own(t.reasons.own, reason) ??
    own<{ what: string }>(t.unsent, reason)?.what ??
    explanationOf(reason)?.what;
  return plain === undefined ? null : `${plain}.`;
}

function ofSystem(code: string, state: string | undefined): string | undefined {
  if (state === 'unreadable')
    return own<unknown>(t.unsent, code) === undefined ? t.reasons.unreadable : undefined;
  if (/CERT|LEAF_SIGNATURE/.test(code)) return t.reasons.certificate;
  if (code.startsWith('PROXY_')) return t.reasons.blocked;
  return /^(?:ECONN|EPIPE|EPROTO|ERR_SSL|UND_ERR|HPE_|UNKNOWN$)/.test(code) ? t.reasons.brokenOff : undefined;
}

/** A message of the agent with what it is made of. */
export interface Told {
  readonly message: string;
  readonly fact: Readonly<Record<string, unknown>> | null;
}

/** In the reader's language. */
export function told(message: Told): string {
  return whyWords(t, message);
}

/** What the service answered; '' if the message quotes nothing. */
export function answerIn(fact: Told['fact']): string {
  const { words, last } = fact ?? {};
  if (typeof words === 'string') return words;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- of another message
  return typeof last === 'object' && last !== null ? answerIn(last as Told['fact']) : '';
}

/** The code of a request that got no answer. */
export function codeIn(fact: Told['fact']): string | null {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as this version writes it
  return fact?.['is'] === 'fault' ? codeOfFault(fact['fault'] as FaultFact) : null;
}

function own<T>(texts: Readonly<Partial<Record<string, T>>>, key: string): T | undefined {
  return Object.hasOwn(texts, key) ? texts[key] : undefined;
}
