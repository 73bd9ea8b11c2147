import PQueue from 'p-queue';
import { describeError } from '../../core/domain/errors.ts';
import { examine, type ExamineDeps } from './examine.ts';
import type { Unsettled } from './settling.ts';
import type { Notifier } from '../../core/notifier.ts';

/** Files of one folder that are looked at, at once: as many as make a good commit together. */
const EXAMINED_AT_ONCE = 32;

/**
 * Looks at the files of one folder as they fall due, until aborted. `notifier` is notified when one may be due sooner. While
 * the sink takes nothing, all of them wait.
 */
export async function settleLoop(
  deps: ExamineDeps,
  notifier: Notifier,
  onExamined: () => void,
  signal: AbortSignal,
): Promise<void> {
  const { settling, sink } = deps;
  const examining = new PQueue({ concurrency: EXAMINED_AT_ONCE });
  const endListening = sink.onChange(() => notifier.notify());
  while (!signal.aborted) {
    if (!sink.isOpen) {
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
  endListening();
  await examining.onIdle();
}

async function examineOrRetry(file: Unsettled, deps: ExamineDeps): Promise<void> {
  try {
    await examine(file, deps);
  } catch (error) {
    if (deps.sink.isOwnTrouble(error)) return deps.settling.retryLater(file);
    if (!deps.sink.isOpen) return deps.settling.putBack(file);
    // This file waits, the others go on (promise P4).
    const fields = { folder: deps.settings.path, path: file.path, ...describeError(error) };
    if (deps.settling.failed(file)) deps.log.error('A file could not be admitted; trying again', fields);
    else deps.log.debug('A file could not be admitted again', fields);
  }
}
