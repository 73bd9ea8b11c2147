import { backoff, HOLD_BACKOFF } from '../../core/domain/backoff.ts';
import type { Document } from '../../core/domain/document.ts';
import { describeError, isOfLedger, isTakenOver, ReceiptdError } from '../../core/domain/errors.ts';
import { toMessage } from '../../core/domain/why.ts';
import type { Clock, Random } from '../../core/ports/clock.ts';
import type { Ledger } from '../../core/ports/ledger.ts';
import type { Log } from '../../core/ports/log.ts';

const AGAIN_MS = 5_000;

export interface GiveUpDeps {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/**
 * Handles a delivery that failed: another agent has taken the document over, the ledger could not be written, or a defect. In the
 * last two cases, requeues the document, which would otherwise stay in state `uploading`.
 */
export async function giveUp(
  document: Document,
  error: unknown,
  deps: GiveUpDeps,
  abort: AbortSignal,
): Promise<void> {
  const { ledger, clock, log } = deps;
  const { id, name } = document;
  if (isTakenOver(error)) {
    // This agent can't record the outcome any more; the attempt counts as unknown.
    log.info('documentTakenOver', { documentId: id, name, ...describeError(error) });
    return;
  }
  const isSaid = isOfLedger(error) && ledger.storage.trouble() !== null;
  const fields = { documentId: id, ...describeError(error) };
  log[isSaid ? 'debug' : 'error']('deliveryBrokenOff', fields);
  while (!abort.aborted && !ledger.storage.trouble()?.isForGood) {
    await clock.sleep(AGAIN_MS, abort).catch(() => {});
    try {
      await requeue(id, error, deps);
      await ledger.release([id]);
      return;
    } catch (cause) {
      // Retry while the ledger is unavailable, even for a day: otherwise the document would stay claimed.
      if (abort.aborted || isOfLedger(cause)) continue;
      log.error('documentStuckUploading', {
        ...fields,
        ...describeError(cause),
      });
      return ledger.release([id]).catch(() => {});
    }
  }
}

/**
 * The document keeps its name, because the service may have stored it, and backs off further each time, because a defect is likely to
 * recur. Does nothing if it is not uploading.
 */
async function requeue(id: number, error: unknown, { ledger, clock, random }: GiveUpDeps): Promise<void> {
  const detail = await ledger.detail(id);
  if (detail?.document.state !== 'uploading') return;
  const attempt = detail.attempts.find(({ finishedAt }) => finishedAt === null);
  const at = clock.now();
  const notBefore = at + backoff(detail.document.attempts, HOLD_BACKOFF, random);
  const reason = 'INTERRUPTED';
  const within = error instanceof ReceiptdError ? error.within() : describeError(error);
  const message = toMessage({ is: 'couldNotGoOn', ...within });
  if (!attempt) return ledger.postpone(id, notBefore, reason, message, at);
  const why = { reason, message, answerLost: true, serverError: false };
  const transition = { state: 'queued', notBefore, ...why } as const;
  await ledger.finish(attempt.id, { at, outcome: 'unknown', httpStatus: null, message, transition });
}
