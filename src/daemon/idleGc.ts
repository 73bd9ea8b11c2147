import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Clock } from '../core/ports/clock.ts';

const LOOK_EVERY_MS = 5_000;
/** More than what comes and goes by itself. */
const WORTH_BYTES = 8 * 1024 * 1024;
/** What the first sets free, its finalizers let go of afterwards: 25 MB of it goes with the second. */
const COLLECTIONS = 2;
/** Share of the time since the last look in which this thread had something to do. */
const AT_REST = 0.05;

export interface Memory {
  /** Bytes that the system holds for this process. */
  resident(): number;
  /** Collects all garbage: about 50 ms in which nothing else goes on. */
  collect(): void;
  /** Share of the time since the last call in which the process was busy. */
  busy(): number;
}

/**
 * Gives back, once the agent is at rest, what a long listing left: the engine collects it only when it wants more memory,
 * which an agent at rest does not for minutes. Until aborted.
 */
export async function collectWhenIdle(memory: Memory, clock: Clock, signal: AbortSignal): Promise<void> {
  // What the start took counts as grown.
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

/** Node shows the engine's collector to no one who does not ask for it. */
function collector(): () => void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect !== 'function') throw new Error('the engine has no collector');
  return () => void collect();
}
