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
      return `It differs from the ledger (${as}): it was changed or replaced.`;
    case 'missing':
      return `The ledger has it (${as}), but it is no longer in the folder.`;
  }
}

/** What to do about it, in one sentence. */
export function adviceOn({ problem, state }: Unaccounted, agentRuns: boolean): string {
  const start = 'Start the agent (`receiptd run`)';
  switch (problem) {
    case 'unknown':
    case 'changed':
      return agentRuns
        ? 'It may not be complete yet, or the agent may be out of space (see `receiptd status`). Try again in a few minutes.'
        : `${start}: it picks up the file.`;
    case 'missing':
      if (state === 'accepted' || state === 'duplicate' || state === 'skipped' || state === 'rejected')
        return agentRuns
          ? 'Nothing is lost. Try again in a few minutes, after the folder has been listed again.'
          : `Nothing is lost. ${start}: it records that the file is gone.`;
      return agentRuns
        ? 'Try again in a few minutes. If its bytes are gone, it becomes `lost` and has to be scanned again.'
        : `Put it back if you can, then ${start.charAt(0).toLowerCase()}${start.slice(1)}.`;
  }
}
