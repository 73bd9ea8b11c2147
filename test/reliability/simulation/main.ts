import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { playRounds, roundsOf, trialOptions } from '../support/campaign.ts';
import type { Result } from './simulation.ts';

const options = trialOptions('simulate', {
  ...roundsOf(2_000),
  failures: { default: 10, least: 1, help: 'stop after this many seeds with a breach' },
  workers: { default: availableParallelism(), least: 1, help: 'worker processes' },
});
const { seeds, workers, failures } = options;
const all = Array.from({ length: Math.min(workers, seeds) }, startWorker);
const idle = [...all];

await playRounds(
  'simulate',
  options,
  async (seed) => {
    const worker = idle.pop()!;
    const result = await worker.play(seed);
    idle.push(worker);
    return result;
  },
  { atOnce: workers, most: failures },
);
for (const worker of all) worker.end();

function startWorker() {
  // Daylight saving time is tested elsewhere; all machines use the same time zone here.
  const env = { ...process.env, TZ: 'UTC' };
  // A seed allocates much at once, but nothing that lives long.
  const execArgv = ['--max-semi-space-size=32'];
  const child = fork(fileURLToPath(new URL('./worker.js', import.meta.url)), { env, execArgv });
  let take: (result: Result) => void = () => {};
  let fail: (error: Error) => void = () => {};
  child.on('message', (result: Result) => take(result));
  child.once('exit', (status, signal) => fail(new Error(`A worker ended early (${signal ?? status}).`)));
  return {
    play: (seed: number) =>
      new Promise<Result>((resolve, reject) => {
        [take, fail] = [resolve, reject];
        child.send({ seed, isTold: seeds === 1 });
      }),
    end: () => child.disconnect(),
  };
}
