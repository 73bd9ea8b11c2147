import { describeError } from '../../core/domain/errors.ts';
import { examine, type ExamineDeps } from './examine.ts';
import type { Unsettled } from './settling.ts';
import type { Notifier } from '../../core/notifier.ts';

/** Files of one folder that are looked at, at once: what of them is admitted in one turn shares a commit. */
const EXAMINED_AT_ONCE = 64;
/** The next are taken when no more than these are left, so that they come in batches too; one scan by itself waits for no other. */
const LEFT_OF_BATCH = EXAMINED_AT_ONCE / 2;

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
    if (deps.settling.failed(file)) deps.log.error('A file could not be recorded; trying again', fields);
    else deps.log.debug('A file still could not be recorded', fields);
  }
}
