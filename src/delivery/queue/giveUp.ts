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
 * A delivery ended without an end: another agent goes on with it, or the ledger could not be written, or it is a defect. In the latter two the
 * document must not stay behind as uploading.
 */
export async function giveUp(
  document: Document,
  error: unknown,
  { ledger, recorder, clock, log }: GiveUpDeps,
  abort: AbortSignal,
): Promise<void> {
  const { id, name } = document;
  if (isTakenOver(error)) {
    // What became of it here can't be recorded, and its attempt counts as unknown.
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
      // A ledger that is away for a day would have it claimed for good.
      if (abort.aborted || isOfLedger(cause)) continue;
      log.error('A document stays in state uploading until the next start', {
        ...fields,
        ...describeError(cause),
      });
      return ledger.release([id]).catch(() => {});
    }
  }
}
