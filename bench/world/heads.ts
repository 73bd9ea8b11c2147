import { setTimeout as sleep } from 'node:timers/promises';
import type { Closed } from './arrivals.ts';
import type { Sink } from './sinkProcess.ts';

const LOOK_EVERY_MS = 100;

/**
 * Seconds from the close of each file to the head of its upload at the sink. Waits for missing uploads.
 * @throws Error if one has not arrived after `patienceMs`
 */
export async function secondsToHead(
  sink: Sink,
  files: readonly Closed[],
  patienceMs: number,
): Promise<number[]> {
  const latest = Date.now() + patienceMs;
  for (;;) {
    const { names } = await sink.report();
    const heads = new Map(names.map(([name, at]) => [name.slice(0, name.lastIndexOf('-')), at]));
    const seconds = files.flatMap(({ stem, closedAt }) => {
      const at = heads.get(stem);
      return at === undefined ? [] : (at - closedAt) / 1_000;
    });
    if (seconds.length === files.length) return seconds;
    if (Date.now() > latest)
      throw new Error(`${files.length - seconds.length} of ${files.length} fresh scans were not sent`);
    await sleep(LOOK_EVERY_MS);
  }
}
