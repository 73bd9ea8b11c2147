import { clock } from '../compose/machine.ts';
import type { Config } from '../config/config.ts';
import type { OnceResult } from '../daemon/agent.ts';
import { limitText, rateForecasts } from '../daemon/reading/rateNotes.ts';
import type { LimitedBy } from '../pipeline/pacer.ts';
import type { LedgerReports } from '../ports/ledgerReports.ts';
import { counted } from '../domain/words.ts';
import { EXIT, type ExitStatus } from './exitStatus.ts';
import type { Io } from './io.ts';
import { printable } from './printable.ts';

/** Trouble that nobody but a person ends comes before what waits; an unreachable service before both. */
export function exitStatusOfOnce(result: OnceResult): ExitStatus {
  if (result.unreachable) return EXIT.unreachable;
  if (result.failed + result.rejected > 0) return EXIT.refused;
  const { waiting, orphaned, incomplete, unreadable, missingFolders } = result;
  return waiting + orphaned + incomplete + unreadable + missingFolders.length > 0 ? EXIT.waiting : EXIT.ok;
}

export function summaryOf(result: OnceResult): string {
  const parts = [
    [result.accepted, 'accepted'],
    [result.waiting, 'waiting'],
    [result.failed, 'failed or lost'],
    [result.rejected, 'rejected'],
    [result.incomplete, 'incomplete'],
    [result.unreadable, 'unreadable'],
  ] as const;
  const counts = parts
    .filter(([count], index) => index === 0 || count > 0)
    .map(([count, what]) => `${count} ${what}`);
  const missing = result.missingFolders.map((path) => `${printable(path)} can't be listed`);
  const unreachable = result.unreachable ? ['the service could not be reached'] : [];
  const { orphaned } = result;
  const orphans =
    orphaned === 0
      ? ''
      : ` ${counted(orphaned, 'document waits', 'documents wait')} for an endpoint that is no longer in the config; \`receiptd status\` says what to do.`;
  return `${[...counts, ...missing, ...unreachable].join(', ')}.${orphans}`;
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
