import PQueue from 'p-queue';
import { describeError } from '../domain/errors.ts';
import { examine, type ExamineDeps } from './examine.ts';
import type { Unsettled } from './settling.ts';
import type { Wake } from './wake.ts';

/** Files of one folder that are looked at, at once. */
const EXAMINED_AT_ONCE = 8;

/** Looks at the files of one folder as they fall due, until aborted. `wake` is rung when one may be due sooner. */
export async function settleLoop(
  deps: ExamineDeps,
  wake: Wake,
  onAllSettled: () => void,
  signal: AbortSignal,
): Promise<void> {
  const { settling } = deps;
  const examining = new PQueue({ concurrency: EXAMINED_AT_ONCE });
  while (!signal.aborted) {
    const room = EXAMINED_AT_ONCE * 2 - examining.pending - examining.size;
    for (const file of settling.takeDue(room)) {
      void examining.add(async () => {
        await examineOrRetry(file, deps);
        wake.ring();
        if (settling.size === 0) onAllSettled();
      });
    }
    const busy = examining.pending + examining.size >= EXAMINED_AT_ONCE * 2;
    await wake.wait(busy ? null : settling.nextDueIn(), signal);
  }
  await examining.onIdle();
}

async function examineOrRetry(file: Unsettled, deps: ExamineDeps): Promise<void> {
  try {
    await examine(file, deps);
  } catch (error) {
    // The ledger could not be written, or the disk not read: this file waits, the others go on (promise P4).
    const fields = { folder: deps.settings.path, path: file.path, ...describeError(error) };
    deps.log.error('A file could not be admitted; trying again', fields);
    deps.settling.retryLater(file);
  }
}
