import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { trialOptions } from '../support/options.ts';
import { COUNTED, type Counts, type Result } from './simulation.ts';
import { ENOUGH, FAILED } from './words.ts';
import type { Work } from './worker.ts';

const COMMAND = 'npm run campaign -- simulate';
/** The result of one worker process. */
export interface Shared {
  readonly seeds: number;
  readonly counts: Counts;
  readonly failed: readonly Result[];
  /** The result if there was only one seed, to tell its story in any case. */
  readonly only: Result | null;
}

const options = trialOptions(COMMAND, {
  seeds: { default: 2_000, least: 1, help: 'number of seeds' },
  from: { default: 1, least: 0, help: 'first seed' },
  failures: { default: 10, least: 1, help: 'stop after this many seeds with a breach' },
  workers: { default: availableParallelism(), least: 1, help: 'worker processes' },
});
process.exitCode = (await simulateAll(options)) ? 0 : 1;

async function simulateAll({
  seeds,
  from,
  workers,
  failures,
}: Record<'seeds' | 'from' | 'workers' | 'failures', number>): Promise<boolean> {
  const started = performance.now();
  const step = Math.min(workers, seeds);
  let breached = 0;
  const running = Array.from({ length: step }, (_, first) =>
    simulateSome({ from: from + first, until: from + seeds, step }, () => {
      breached += 1;
      if (breached === failures) for (const { enough } of running) enough();
    }),
  );
  const parts = await Promise.all(running.map(({ done }) => done));
  const failed = parts.flatMap((part) => part.failed).toSorted((a, b) => a.seed - b.seed);
  const ran = parts.reduce((sum, part) => sum + part.seeds, 0);
  const totals = COUNTED.map((key) => `${parts.reduce((sum, { counts }) => sum + counts[key], 0)} ${key}`);
  const seconds = (performance.now() - started) / 1_000;
  const told = failed[0] ?? (seeds === 1 ? parts[0]?.only : null);
  if (told) console.log(`${told.story.join('\n')}\nThe story's fingerprint: ${told.fingerprint}`);
  for (const { seed, breaches } of failed) {
    for (const breach of breaches) console.log(`seed ${seed}: ${breach}`);
    console.log(`  to see its story: ${COMMAND} --seeds 1 --from ${seed}`);
  }
  console.log(totals.join(', '));
  console.log(
    `${ran} seeds in ${seconds.toFixed(1)} s (${Math.round((ran / seconds) * 60)} a minute); ${failed.length === 0 ? 'all promises held' : `${failed.length} seeds with a breach`}.`,
  );
  return failed.length === 0;
}

interface Running {
  readonly done: Promise<Shared>;
  /** Ends the worker after its current seed. */
  readonly enough: () => void;
}

function simulateSome(work: Work, onFailure: () => void): Running {
  // Daylight saving time is tested elsewhere; all machines use the same time zone here.
  const env = { ...process.env, TZ: 'UTC' };
  // A seed allocates much at once, but nothing that lives long.
  const execArgv = ['--max-semi-space-size=32'];
  const child = fork(fileURLToPath(new URL('./worker.js', import.meta.url)), { env, execArgv });
  const done = new Promise<Shared>((resolve, reject) => {
    child.on('message', (said: Shared | typeof FAILED) => {
      if (said === FAILED) onFailure();
      else resolve(said);
    });
    child.once('exit', (status, signal) => reject(new Error(`A worker ended early (${signal ?? status}).`)));
    child.send(work);
  });
  return { done, enough: () => void (child.connected && child.send(ENOUGH)) };
}
