import type { Clock } from '../core/ports/clock.ts';
import type { Log } from '../core/ports/log.ts';
import { ClockWatch } from '../core/domain/clockWatch.ts';

export interface SuspendDeps {
  readonly clock: Clock;
  readonly log: Log;
  /** Milliseconds spent asleep since boot; null if the system does not report it. */
  readonly asleepMs: () => number | null;
  /** Everything known about folders and connections may be out of date. */
  readonly onWoke: () => void;
}

const LOOK_EVERY_MS = 10_000;
/** Ignore less: clocks are corrected and busy machines run late. */
const NOTICED_MS = 5_000;
/** A check this late means that the machine slept or the process was stopped. */
const LATE_MS = 60_000;

/**
 * Detects that the machine slept or its clock was set, logs one line, and calls `onWoke`: during sleep, shares lose file events
 * and connections lose their peer. On Linux the monotonic clock stops during sleep, so the system's own counter is needed; on
 * macOS and Windows it continues, and the next check comes too late. Runs until aborted.
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
    // Sleep accounts for its own length of the wall clock's jump; the rest was set.
    const setMs = jumpMs - (asleepMs ?? 0);
    const wasAsleep = (asleepMs ?? 0) >= NOTICED_MS;
    const wasStopped = lateMs >= LATE_MS;
    if (wasAsleep) log.info('machineWasAsleep', { forMs: round(asleepMs ?? 0) });
    else if (wasStopped)
      log.info('machineAsleepOrAgentStopped', {
        forMs: round(lateMs),
      });
    const isSet = Math.abs(setMs) >= NOTICED_MS;
    if (isSet && asleepMs === null && setMs > 0) log.info('clockJumpedAhead', { byMs: round(setMs) });
    else if (isSet) log.warn('clockChanged', { byMs: round(setMs) });
    if (wasAsleep || wasStopped || isSet) onWoke();
  }
}

function round(ms: number): number {
  return Math.round(ms / 100) * 100;
}
