import { z } from 'zod';

/** What a running agent reports each second over a pipe. */
export const INSIDE = z.object({
  heapUsed: z.number(),
  /** Heap after the latest full collection, which is what is really held. 0 before the first. */
  heapLive: z.number(),
  external: z.number(),
  /** Longest delay of the event loop within that second, ms. */
  loopMs: z.number(),
  /** Number of active handles and requests, by type. */
  resources: z.record(z.string(), z.number()),
});
export type Inside = z.infer<typeof INSIDE>;

/** As in `AgentOptions.onReport`. */
const PROBE_FD = 3;

/**
 * An argument for node that makes the binary report figures only known inside. The binary itself has no debug port. The module is inline
 * text, since its file path differs between sources and build.
 */
export function probeArgument(): string {
  return `--import=data:text/javascript,${encodeURIComponent(`(${probe.toString()})(${PROBE_FD})`)}`;
}

function probe(fd: number): void {
  // Threads get the same arguments but have their own heaps.
  if (!process.getBuiltinModule('node:worker_threads').isMainThread) return;
  const { writeSync } = process.getBuiltinModule('node:fs');
  const { PerformanceObserver, constants, monitorEventLoopDelay } =
    process.getBuiltinModule('node:perf_hooks');
  let heapLive = 0;
  new PerformanceObserver((list) => {
    for (const { detail } of list.getEntries() as { detail?: { kind?: number } }[]) {
      if (detail?.kind === constants.NODE_PERFORMANCE_GC_MAJOR) heapLive = process.memoryUsage().heapUsed;
    }
  }).observe({ entryTypes: ['gc'] });
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  const tell = (): void => {
    const { heapUsed, external } = process.memoryUsage();
    const resources: Record<string, number> = {};
    for (const type of process.getActiveResourcesInfo()) resources[type] = (resources[type] ?? 0) + 1;
    const line = { heapUsed, heapLive, external, loopMs: delay.max / 1e6, resources };
    delay.reset();
    try {
      writeSync(fd, `${JSON.stringify(line)}\n`);
    } catch {
      // The reader is gone.
    }
  };
  setInterval(tell, 1_000).unref();
}
