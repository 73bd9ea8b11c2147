import type { OnceResult } from '../daemon/agent.ts';
import { EXIT, type ExitStatus } from './exitStatus.ts';
import { escapeUnsafe } from '../core/domain/escape.ts';
import type { CliTexts } from '../texts/cli.ts';
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
export function summaryOf(
  { accepted, waiting, found, earlier, unreadableDirs, orphaned, missingFolders, unreachable }: OnceResult,
  { summary }: Texts['needs'],
  words: CliTexts['once'],
): string {
  const notSent = found.reduce((sum, need) => sum + need.count, 0);
  const parts = [
    words.accepted(accepted),
    ...(waiting > 0 ? [words.waiting(waiting)] : []),
    ...(found.length > 0 ? [words.notSent(notSent, summary(found))] : []),
    ...(unreadableDirs > 0 ? [words.unreadable(unreadableDirs)] : []),
    ...missingFolders.map((path) => words.unlisted(escapeUnsafe(path))),
    ...(unreachable ? [words.unreachable] : []),
  ];
  const did = accepted === 0 && parts.length === 1 ? words.nothing : parts.join(', ');
  const orphans = orphaned === 0 ? '' : ` ${words.orphaned(orphaned)}`;
  const before = earlier.length === 0 ? '' : `\n${words.earlier(summary(earlier))}`;
  return `${did}.${orphans}${before}`;
}
