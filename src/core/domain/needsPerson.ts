import type { NeedingState } from '../../texts/facts.ts';
import type { DocumentState, Verdict } from './document.ts';

/** Documents that stay as they are until a person decides. */
export const UNDECIDED_STATES = ['failed', 'unconfirmed', 'lost'] as const satisfies readonly DocumentState[];

export function isUndecided(state: DocumentState): boolean {
  return UNDECIDED_STATES.some((each) => each === state);
}

/** Files that stay as they are until a person fixes, removes or dismisses them. */
const UNSENT_VERDICTS = ['rejected', 'incomplete', 'unreadable'] as const satisfies readonly Verdict[];

/** States in which a document or file may need a person. */
export const NEEDING_STATES = [
  ...UNDECIDED_STATES,
  ...UNSENT_VERDICTS,
] as const satisfies readonly NeedingState[];
export type { NeedingState } from '../../texts/facts.ts';

/** The only rejection that needs nobody: the file is not a receipt. With any other reason it might be one. */
export const NO_RECEIPT = 'NOT_AN_IMAGE';

export interface Case {
  readonly state: DocumentState | Verdict | 'held';
  readonly reason: string | null;
  /** Whether the file was moved or deleted: somebody took care of it. */
  readonly isGone: boolean;
  readonly isDismissed: boolean;
}

/** Whether a person has to act before this receipt can be sent, or before it is certain that it was. */
export function needsPerson({ state, reason, isGone, isDismissed }: Case): boolean {
  if (isDismissed || !isNeeding(state)) return false;
  if (UNDECIDED_STATES.some((each) => each === state)) return true;
  return !isGone && !(state === 'rejected' && reason === NO_RECEIPT);
}

export function isNeeding(state: string): state is NeedingState {
  return NEEDING_STATES.some((each) => each === state);
}
