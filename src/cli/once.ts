import { clock } from '../compose/machine.ts';
import type { OnceResult } from '../daemon/agent.ts';
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

/** A bar on the terminal: documents that are settled of all that are known. Log lines push it down. */
export function showProgress(io: Io, ledger: LedgerReports): { end(): Promise<void> } {
  const ended = new AbortController();
  const draw = async () => {
    while (!ended.signal.aborted) {
      let total = 0;
      let open = 0;
      for (const { state, count } of await ledger.counts()) {
        total += count;
        if (state === 'queued' || state === 'uploading' || state === 'held') open += count;
      }
      const filled = total === 0 ? 0 : Math.round((WIDTH * (total - open)) / total);
      io.stderr.write(
        `\r[${'#'.repeat(filled)}${'-'.repeat(WIDTH - filled)}] ${total - open} of ${total}\x1b[K`,
      );
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
