import type { Clock } from '../core/ports/clock.ts';
import type { Log } from '../core/ports/log.ts';
import { ClockWatch } from '../core/domain/clockWatch.ts';

export interface SuspendDeps {
  readonly clock: Clock;
  readonly log: Log;
  /** Milliseconds that the machine has been asleep since it was started; null where the system does not tell. */
  readonly asleepMs: () => number | null;
  /** Whatever was known of folders and connections may be out of date. */
  readonly onWoke: () => void;
}

const LOOK_EVERY_MS = 10_000;
/** Less is the usual correcting of a clock, and the usual lateness of a machine that has much to do. */
const NOTICED_MS = 5_000;
/** A look that comes so much too late was kept by a machine that slept, or by somebody who stopped the process. */
const LATE_MS = 60_000;

/**
 * Notices that the machine was asleep, and that its clock was set, says so in one line, and has everything checked again: shares lose
 * their events in a sleep, and connections their other end. What sleeps shows in differs: on Linux the monotonic clock stands still, and
 * the system counts the time apart; on macOS and Windows it goes on, and the next look comes too late. Until aborted.
 */
export async function watchForSuspend(deps: SuspendDeps, signal: AbortSignal): Promise<void> {
  const { clock, log, onWoke } = deps;
  const watch = new ClockWatch(clock);
  let sleptBefore = deps.asleepMs();
  let lookedAt = clock.monotonic();
  while (!signal.aborted) {
    await clock.sleep(LOOK_EVERY_MS, signal).catch(() => {});
    if (signal.aborted) return;
    const now = clock.monotonic();
    const lateMs = now - lookedAt - LOOK_EVERY_MS;
    lookedAt = now;
    const slept = deps.asleepMs();
    const asleepMs = slept === null || sleptBefore === null ? null : Math.max(0, slept - sleptBefore);
    sleptBefore = slept;
    const jumpMs = watch.takeJump();
    // Of a jump of the wall clock the sleep explains its own length.
    const setMs = jumpMs - (asleepMs ?? 0);
    const wasAsleep = (asleepMs ?? 0) >= NOTICED_MS;
    const wasStopped = lateMs >= LATE_MS;
    if (wasAsleep)
      log.info('The machine was asleep; listing the folders again', { forMs: round(asleepMs ?? 0) });
    else if (wasStopped)
      log.info('The machine was asleep or receiptd was stopped; listing the folders again', {
        forMs: round(lateMs),
      });
    const isSet = Math.abs(setMs) >= NOTICED_MS;
    if (isSet && asleepMs === null && setMs > 0)
      log.info('The clock jumped ahead: the machine was asleep or the clock was set', { byMs: round(setMs) });
    else if (isSet) log.warn("This machine's clock was changed", { byMs: round(setMs) });
    if (wasAsleep || wasStopped || isSet) onWoke();
  }
}

function round(ms: number): number {
  return Math.round(ms / 100) * 100;
}
