import type { Shared } from './main.ts';
import { COUNTED, simulate, type Counts, type Result } from './simulation.ts';
import { installVirtualTime } from './timeline.ts';
import { FAILED } from './words.ts';

/** Seeds `from`, `from + step`, ... below `until`, unless told to stop. */
export interface Work {
  readonly from: number;
  readonly until: number;
  readonly step: number;
}

const forReal = setImmediate;
installVirtualTime();
let seedNow = -1;
const enough = new AbortController();
process.on('unhandledRejection', (error) => {
  console.error(
    `seed ${seedNow}: unhandled rejection: ${error instanceof Error ? error.stack : String(error)}`,
  );
  process.exit(1);
});
// The campaign was ended, and with it whoever would read the result.
process.once('disconnect', () => process.exit(1));
process.once('message', (work) => {
  process.once('message', () => enough.abort());
  void run(work as Work).then((shared) => process.send?.(shared, () => process.exit(0)));
});

async function run({ from, until, step }: Work): Promise<Shared> {
  const counts = Object.fromEntries(COUNTED.map((key) => [key, 0])) as Record<keyof Counts, number>;
  const failed: Result[] = [];
  let seeds = 0;
  let last: Result | null = null;
  for (let seed = from; seed < until && !enough.signal.aborted; seed += step) {
    seedNow = seed;
    const result = await simulate(seed);
    seeds += 1;
    for (const key of COUNTED) counts[key] += result.counts[key];
    if (result.breaches.length > 0) {
      failed.push(result);
      process.send?.(FAILED);
    }
    last = result;
    // Lets this process receive pending messages.
    await new Promise((resolve) => forReal(resolve));
  }
  return { seeds, counts, failed, only: seeds === 1 ? last : null };
}
