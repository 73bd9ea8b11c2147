import type { Unaccounted } from '../features/audit/audit.ts';
import type { CliTexts } from '../texts/cli.ts';

type AuditWords = Pick<CliTexts, 'audit' | 'stateWords'>;

/** What is wrong with a file, in one sentence. */
export function problemOf(
  { audit: { problem: words }, stateWords }: AuditWords,
  { problem, state, name }: Unaccounted,
): string {
  if (problem === 'unknown') return words.unknown;
  const its = state === null ? '' : stateWords[state];
  return words[problem](name === null ? its : words.named(its, name));
}

/** What to do about it, in one sentence. */
export function adviceOn(
  { audit: { advice } }: AuditWords,
  { problem, state }: Unaccounted,
  agentRuns: boolean,
): string {
  if (problem !== 'missing') return agentRuns ? advice.settles : advice.start;
  if (state === 'accepted' || state === 'duplicate' || state === 'skipped' || state === 'rejected')
    return agentRuns ? advice.relist : advice.startGone;
  return agentRuns ? advice.wait : advice.putBack;
}
