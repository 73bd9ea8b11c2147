import type { Unaccounted } from '../features/audit/audit.ts';
import { STATE_WORDS } from './stateWords.ts';

/** What is wrong with a file, in one sentence. */
export function problemOf({ problem, state, name }: Unaccounted): string {
  const words = state === null ? '' : STATE_WORDS[state];
  const as = name === null ? words : `${words}, as "${name}"`;
  switch (problem) {
    case 'unknown':
      return 'It is in the folder, but not in the ledger.';
    case 'changed':
      return `It differs from the ledger (${as}): it was changed or replaced since.`;
    case 'missing':
      return `The ledger has it in the folder (${as}), but it is gone.`;
  }
}

/** What to do about it, in one sentence. */
export function adviceOn({ problem, state }: Unaccounted, agentRuns: boolean): string {
  const start = 'Start the agent (`receiptd run`)';
  switch (problem) {
    case 'unknown':
    case 'changed':
      return agentRuns
        ? 'It may still be growing, or the agent may have no room for it (see `receiptd status`). Try again in a few minutes.'
        : `${start}: it takes the file in.`;
    case 'missing':
      if (state === 'accepted' || state === 'duplicate' || state === 'skipped' || state === 'rejected')
        return agentRuns
          ? 'Nothing is lost; try again in a few minutes, after the next listing.'
          : `Nothing is lost; ${start.charAt(0).toLowerCase()}${start.slice(1)}, which records that the file has left.`;
      return agentRuns
        ? 'Try again in a few minutes; if its bytes are gone it becomes `lost`, and has to be scanned again.'
        : `Put it back if you can, then ${start.charAt(0).toLowerCase()}${start.slice(1)}.`;
  }
}
