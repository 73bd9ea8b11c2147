import type { DocumentState, Verdict } from './document.ts';

/** Documents that stay as they are until a person decides. */
export const UNDECIDED_STATES = ['failed', 'unconfirmed', 'lost'] as const satisfies readonly DocumentState[];

/** Files that stay as they are until a person mends, removes or dismisses them. */
const UNSENT_VERDICTS = ['rejected', 'incomplete', 'unreadable'] as const satisfies readonly Verdict[];

/** In which a document or file may need a person. */
export const NEEDING_STATES = [...UNDECIDED_STATES, ...UNSENT_VERDICTS] as const;
export type NeedingState = (typeof NEEDING_STATES)[number];

/** The one reason of a rejected file that needs nobody: it is no receipt. Any other may hide one. */
export const NO_RECEIPT = 'NOT_AN_IMAGE';

export interface Case {
  readonly state: DocumentState | Verdict | 'held';
  readonly reason: string | null;
  /** Whether the file has left its place: somebody has seen to it. */
  readonly isGone: boolean;
  readonly isDismissed: boolean;
}

/** Whether somebody has to do something before this receipt can go out, or before it is known that it has. */
export function needsPerson({ state, reason, isGone, isDismissed }: Case): boolean {
  if (isDismissed || !isNeeding(state)) return false;
  if (UNDECIDED_STATES.some((each) => each === state)) return true;
  return !isGone && !(state === 'rejected' && reason === NO_RECEIPT);
}

export function isNeeding(state: string): state is NeedingState {
  return NEEDING_STATES.some((each) => each === state);
}
