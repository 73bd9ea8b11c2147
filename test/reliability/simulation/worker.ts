import { simulate } from './simulation.ts';
import { installVirtualTime } from './timeline.ts';

installVirtualTime();
let seedNow = -1;
process.on('unhandledRejection', (error) => {
  console.error(
    `seed ${seedNow}: unhandled rejection: ${error instanceof Error ? error.stack : String(error)}`,
  );
  process.exit(1);
});
// The campaign is over, or was ended.
process.once('disconnect', () => process.exit(0));
process.on('message', ({ seed, isTold }: { readonly seed: number; readonly isTold: boolean }) => {
  seedNow = seed;
  void simulate(seed).then(({ story, ...result }) => {
    const isNeeded = isTold || result.breaches.length > 0;
    process.send?.({ ...result, story: isNeeded ? story : [] });
  });
});
