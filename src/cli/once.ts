import { clock } from '../compose/machine.ts';
import type { Config } from '../config/config.ts';
import type { OnceResult } from '../daemon/agent.ts';
import { limitText, rateForecasts } from '../daemon/reading/rateNotes.ts';
import type { LimitedBy } from '../pipeline/pacer.ts';
import type { LedgerReports } from '../ports/ledgerReports.ts';
import { needsInShort } from '../domain/needWords.ts';
import { count, counted } from '../domain/words.ts';
import { EXIT, type ExitStatus } from './exitStatus.ts';
import type { Io } from './io.ts';
import { printable } from './printable.ts';

/** What only a person can end comes before what waits; an unreachable service before both. */
export function exitStatusOfOnce(result: OnceResult): ExitStatus {
  if (result.unreachable) return EXIT.unreachable;
  const { found, waiting, orphaned, unreadableDirs, missingFolders } = result;
  if (found.some(({ state }) => REFUSED.has(state))) return EXIT.refused;
  return waiting + orphaned + unreadableDirs + missingFolders.length + found.length > 0
    ? EXIT.waiting
    : EXIT.ok;
}

const REFUSED: ReadonlySet<string> = new Set(['failed', 'lost', 'rejected']);

/** One line about this run, one about what was amiss before it. */
export function summaryOf(result: OnceResult): string {
  const { accepted, waiting, found, earlier, unreadableDirs, orphaned, unreachable } = result;
  const parts = [
    `${count(accepted)} accepted`,
    ...(waiting > 0 ? [`${count(waiting)} waiting`] : []),
    ...(found.length > 0 ? [needsInShort(found)] : []),
    ...(unreadableDirs > 0
      ? [counted(unreadableDirs, 'unreadable directory', 'unreadable directories')]
      : []),
    ...result.missingFolders.map((path) => `${printable(path)} can't be listed`),
    ...(unreachable ? ['the service could not be reached'] : []),
  ];
  const orphans =
    orphaned === 0
      ? ''
      : ` ${counted(orphaned, 'document waits', 'documents wait')} for an endpoint that is no longer in the config; \`receiptd status\` says what to do.`;
  const before =
    earlier.length === 0
      ? ''
      : `\nFrom earlier runs: ${needsInShort(earlier)}. \`receiptd list --needs-person\` shows all that needs a person.`;
  return `${parts.join(', ')}.${orphans}${before}`;
}

const WIDTH = 30;
const EVERY_MS = 500;

/**
 * A bar on the terminal: documents that are settled of all that are known, and the rate that they wait for. Log lines
 * push it down.
 */
export function showProgress(
  io: Io,
  ledger: LedgerReports,
  { endpoints }: Pick<Config, 'endpoints'>,
  limitedBy: () => readonly LimitedBy[],
): { end(): Promise<void> } {
  const ended = new AbortController();
  const draw = async () => {
    while (!ended.signal.aborted) {
      let total = 0;
      let open = 0;
      const counts = await ledger.counts();
      for (const { state, count } of counts) {
        total += count;
        if (state === 'queued' || state === 'uploading' || state === 'held') open += count;
      }
      const filled = total === 0 ? 0 : Math.round((WIDTH * (total - open)) / total);
      const bar = `[${'#'.repeat(filled)}${'-'.repeat(WIDTH - filled)}] ${total - open} of ${total}`;
      const [slowest] = rateForecasts(limitedBy(), counts, endpoints).toSorted((a, b) => b.leftMs - a.leftMs);
      io.stderr.write(`\r${bar}${slowest ? `, ${limitText(slowest)}` : ''}\x1b[K`);
      await clock.sleep(EVERY_MS, ended.signal).catch(() => {});
    }
    io.stderr.write('\r\x1b[K');
  };
  const drawn = draw();
  return {
    end() {
      ended.abort();
      return drawn;
    },
  };
}
