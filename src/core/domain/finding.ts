import type { FindingFact, strengthTexts } from '../../texts/en/findings.ts';
import type { Fact } from '../../texts/phrase.ts';
import { ReceiptdError, type ErrorCode } from './errors.ts';

export type { FindingFact } from '../../texts/en/findings.ts';

/** How well a store protects credentials. */
export type StrengthFact = Fact<typeof strengthTexts>;

/** Findings about a folder that are not errors. */
export const FOLDER_FINDINGS = [
  'readable',
  'subfolders',
  'links',
  'movable',
  'attention',
  'tooMany',
] as const satisfies readonly FindingFact['is'][];

/** Result of a check: `receiptd check`, `receiptd doctor`, the console's folder test. */
export interface Finding {
  readonly level: 'ok' | 'warn' | 'fail';
  readonly subject: string;
  readonly fact: FindingFact;
  /** The user with whose rights it was checked, if it was another one. */
  readonly checkedAs?: string;
  /** Names of other parties that occur in it and are known only to the check. */
  readonly names?: readonly string[];
}

/** The finding for a check that failed. @throws `error` if it is none for people */
export function failure(subject: string, error: unknown, level: Finding['level'] = 'fail'): Finding {
  if (!(error instanceof ReceiptdError)) throw error;
  return { level, subject, fact: { is: 'error', error: error.facts() } };
}

/** The code of the error or problem that was found; null if it is something else. */
export function codeOf({ fact }: Pick<Finding, 'fact'>): ErrorCode | null {
  if (fact.is === 'problem') return fact.problem.code;
  return fact.is === 'error' ? fact.error.code : null;
}
