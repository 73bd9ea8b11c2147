import type { Document } from '../../core/domain/document.ts';
import { describeError, isOfLedger, isTakenOver } from '../../core/domain/errors.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { Ledger } from '../../core/ports/ledger.ts';
import type { Log } from '../../core/ports/log.ts';
import type { Recorder } from '../record.ts';

const AGAIN_MS = 5_000;

export interface GiveUpDeps {
  readonly ledger: Pick<Ledger, 'release' | 'storage'>;
  readonly recorder: Recorder;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Handles a delivery that failed: another agent has taken the document over, the ledger could not be written, or a defect. In the
 * last two cases, requeues the document, which would otherwise stay in state `uploading`.
 */
export async function giveUp(
  document: Document,
  error: unknown,
  { ledger, recorder, clock, log }: GiveUpDeps,
  abort: AbortSignal,
): Promise<void> {
  const { id, name } = document;
  if (isTakenOver(error)) {
    // This agent can't record the outcome any more; the attempt counts as unknown.
    log.info('Another agent has taken a document over', { documentId: id, name, ...describeError(error) });
    return;
  }
  const isSaid = isOfLedger(error) && ledger.storage.trouble() !== null;
  const fields = { documentId: id, ...describeError(error) };
  log[isSaid ? 'debug' : 'error']('A delivery could not continue; the document stays queued', fields);
  while (!abort.aborted && !ledger.storage.trouble()?.isForGood) {
    await clock.sleep(AGAIN_MS, abort).catch(() => {});
    try {
      await recorder.abandon(document, error, abort);
      await ledger.release([id]);
      return;
    } catch (cause) {
      // Retry while the ledger is unavailable, even for a day: otherwise the document would stay claimed.
      if (abort.aborted || isOfLedger(cause)) continue;
      log.error('A document stays in state uploading until the next start', {
        ...fields,
        ...describeError(cause),
      });
      return ledger.release([id]).catch(() => {});
    }
  }
}
