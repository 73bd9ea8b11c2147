import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Clock } from '../core/ports/clock.ts';

const LOOK_EVERY_MS = 5_000;
/** Growth worth a collection: above the normal fluctuation. */
const WORTH_BYTES = 8 * 1024 * 1024;
/** Finalizers run after the first collection; the second frees what they released (25 MB). */
const COLLECTIONS = 2;
/** Busy share of the event loop below which the agent counts as idle. */
const AT_REST = 0.05;

export interface Memory {
  /** Resident set size in bytes. */
  resident(): number;
  /** Full garbage collection: blocks the thread for about 50 ms. */
  collect(): void;
  /** Busy share of the time since the last call. */
  busy(): number;
}

/**
 * Frees the garbage of a long listing once the agent is idle. V8 collects only when it needs more memory, which an idle
 * agent may not for minutes. Runs until aborted.
 */
export async function collectWhenIdle(memory: Memory, clock: Clock, signal: AbortSignal): Promise<void> {
  // 0, so that memory used at start counts as growth.
  let least = 0;
  let due = 0;
  while (!signal.aborted) {
    await clock.sleep(LOOK_EVERY_MS, signal).catch(() => {});
    if (signal.aborted) return;
    const isAtRest = memory.busy() < AT_REST;
    least = Math.min(least, memory.resident());
    if (memory.resident() >= least + WORTH_BYTES) due = COLLECTIONS;
    if (!isAtRest || due === 0) continue;
    memory.collect();
    due -= 1;
    least = memory.resident();
  }
}

export function processMemory(): Memory {
  let last = performance.eventLoopUtilization();
  return {
    resident: () => process.memoryUsage.rss(),
    collect: collector(),
    busy() {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, last);
      last = now;
      return utilization;
    },
  };
}

/** V8's `gc` function, which Node exposes only behind a flag. */
function collector(): () => void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect !== 'function') throw new Error('the engine has no collector');
  return () => void collect();
}
