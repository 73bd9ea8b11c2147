import PQueue from 'p-queue';
import { describeError, isOfLedger } from '../../core/domain/errors.ts';
import { examine, type ExamineDeps } from './examine.ts';
import type { Unsettled } from './settling.ts';
import type { Notifier } from '../../core/notifier.ts';

/** Files of one folder that are looked at, at once: as many as make a good commit together. */
const EXAMINED_AT_ONCE = 32;

/**
 * Looks at the files of one folder as they fall due, until aborted. `notifier` is notified when one may be due sooner. While the
 * ledger can't be written all of them wait, since each would fail in the same way, unless they can be deferred meanwhile.
 */
export async function settleLoop(
  deps: ExamineDeps,
  notifier: Notifier,
  onExamined: () => void,
  signal: AbortSignal,
): Promise<void> {
  const { settling, ledger, offline } = deps;
  const examining = new PQueue({ concurrency: EXAMINED_AT_ONCE });
  const deaf = [ledger.storage.onChange(() => notifier.notify()), offline?.onChange(() => notifier.notify())];
  while (!signal.aborted) {
    if (ledger.storage.trouble() !== null && !offline?.isOn) {
      await notifier.wait(null, signal);
      continue;
    }
    const room = EXAMINED_AT_ONCE * 2 - examining.pending - examining.size;
    for (const file of settling.takeDue(room)) {
      void examining.add(async () => {
        await examineOrRetry(file, deps);
        notifier.notify();
        onExamined();
      });
    }
    const busy = examining.pending + examining.size >= EXAMINED_AT_ONCE * 2;
    await notifier.wait(busy ? null : settling.nextDueIn(), signal);
  }
  for (const end of deaf) end?.();
  await examining.onIdle();
}

async function examineOrRetry(file: Unsettled, deps: ExamineDeps): Promise<void> {
  try {
    await examine(file, deps);
  } catch (error) {
    // It is deferred instead when its turn comes again.
    if (deps.offline?.isOn && isOfLedger(error)) return deps.settling.retryLater(file);
    if (!deps.offline?.isOn && deps.ledger.storage.trouble() !== null) return deps.settling.putBack(file);
    // This file waits, the others go on (promise P4).
    const fields = { folder: deps.settings.path, path: file.path, ...describeError(error) };
    if (deps.settling.failed(file)) deps.log.error('A file could not be admitted; trying again', fields);
    else deps.log.debug('A file could not be admitted again', fields);
  }
}
