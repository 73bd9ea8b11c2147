import { describeError } from '../../core/domain/errors.ts';
import { examine, type ExamineDeps } from './examine.ts';
import type { Unsettled } from './unsettled.ts';
import type { Notifier } from '../../core/notifier.ts';

/** Files of one folder examined concurrently. Those admitted in the same turn share a commit. */
const EXAMINED_AT_ONCE = 64;
/** New files are taken only when at most this many are in progress, so that they form batches. A single scan does not wait. */
const LEFT_OF_BATCH = EXAMINED_AT_ONCE / 2;

/**
 * Examines the files of one folder as they fall due, until aborted. Notify `notifier` when one may be due sooner. While
 * the sink is closed, all files wait.
 */
export async function settleLoop(
  deps: ExamineDeps,
  notifier: Notifier,
  onExamined: () => void,
  signal: AbortSignal,
): Promise<void> {
  const { settling, sink } = deps;
  const examined = new Set<Promise<void>>();
  const endListening = sink.onChange(() => notifier.notify());
  while (!signal.aborted) {
    if (!sink.isOpen) {
      await notifier.wait(null, signal);
      continue;
    }
    const room = examined.size > LEFT_OF_BATCH ? 0 : EXAMINED_AT_ONCE - examined.size;
    for (const file of settling.takeDue(room)) {
      const examining = examineOrRetry(file, deps).then(() => {
        examined.delete(examining);
        if (examined.size <= LEFT_OF_BATCH) notifier.notify();
        onExamined();
      });
      examined.add(examining);
    }
    await notifier.wait(examined.size > LEFT_OF_BATCH ? null : settling.nextDueIn(), signal);
  }
  endListening();
  await Promise.all(examined);
}

async function examineOrRetry(file: Unsettled, deps: ExamineDeps): Promise<void> {
  try {
    await examine(file, deps);
  } catch (error) {
    if (deps.sink.isOwnTrouble(error)) return deps.settling.retryLater(file);
    if (!deps.sink.isOpen) return deps.settling.putBack(file);
    // This file waits, the others go on (promise P4).
    const fields = { folder: deps.settings.path, path: file.path, ...describeError(error) };
    if (deps.settling.failed(file)) deps.log.error('fileNotRecorded', fields);
    else deps.log.debug('fileStillNotRecorded', fields);
  }
}
