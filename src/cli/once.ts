import type { OnceResult } from '../daemon/agent.ts';
import { count, counted } from '../core/domain/words.ts';
import { EXIT, type ExitStatus } from './exitStatus.ts';
import { escapeUnsafe } from '../core/domain/escape.ts';
import type { Texts } from '../texts/texts.ts';

/** An unreachable service takes precedence, then failed, lost or rejected documents, then anything else unfinished. */
export function exitStatusOfOnce(result: OnceResult): ExitStatus {
  if (result.unreachable) return EXIT.unreachable;
  const { found, waiting, orphaned, unreadableDirs, missingFolders } = result;
  if (found.some(({ state }) => REFUSED.has(state))) return EXIT.refused;
  return waiting + orphaned + unreadableDirs + missingFolders.length + found.length > 0
    ? EXIT.waiting
    : EXIT.ok;
}

const REFUSED: ReadonlySet<string> = new Set(['failed', 'lost', 'rejected']);

/** One line about this run, and one about older cases that still need a person. */
export function summaryOf(result: OnceResult, { needs }: Pick<Texts, 'needs'>): string {
  const { accepted, waiting, found, earlier, unreadableDirs, orphaned, unreachable } = result;
  const parts = [
    `${count(accepted)} accepted`,
    ...(waiting > 0 ? [`${count(waiting)} waiting`] : []),
    ...(found.length > 0
      ? [`${count(found.reduce((sum, need) => sum + need.count, 0))} not sent (${needs.summary(found)})`]
      : []),
    ...(unreadableDirs > 0
      ? [counted(unreadableDirs, 'unreadable directory', 'unreadable directories')]
      : []),
    ...result.missingFolders.map((path) => `${escapeUnsafe(path)} can't be listed`),
    ...(unreachable ? ['the service could not be reached'] : []),
  ];
  const orphans =
    orphaned === 0
      ? ''
      : ` ${counted(orphaned, 'document waits', 'documents wait')} for an endpoint that is no longer in the config. \`receiptd status\` says what to do.`;
  const before =
    earlier.length === 0
      ? ''
      : `\nFrom earlier runs: ${needs.summary(earlier)}. \`receiptd list --needs-person\` lists everything that needs a person.`;
  const did = accepted === 0 && parts.length === 1 ? 'Nothing to send' : parts.join(', ');
  return `${did}.${orphans}${before}`;
}
