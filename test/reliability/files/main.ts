/** The file campaign: `npm run campaign -- files --rounds N --from S`. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { trialOptions } from '../support/options.ts';
import { inPlace, makeGround, PLACES, whyNot, type Place } from './places.ts';
import { storyOf, summaryOf } from './report.ts';
import type { RoundResult } from './round.ts';
import type { WorkerOptions } from './worker.ts';

const options = trialOptions(
  'npm run campaign -- files',
  {
    rounds: { default: 20, least: 1, help: 'number of rounds in each place' },
    from: { default: 1, least: 0, help: 'seed of the first round; each round takes the next one' },
    operations: {
      default: 45,
      least: 1,
      help: 'operations per round; a smaller number takes the first ones',
    },
    'at-once': { default: 6, least: 1, help: 'rounds to play at once' },
  },
  {
    local: 'only on the local disk (the temporary directory)',
    tmpfs: 'only on tmpfs',
    polled: 'only on a mounted share (FUSE) that is polled',
  },
);

const running = new Set<ChildProcess>();
const endAll = (): void => {
  for (const child of running) child.kill('SIGKILL');
};
process.on('exit', endAll);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));

const wanted = PLACES.filter((place) => options[place]);
let clean = true;
for (const place of wanted.length > 0 ? wanted : PLACES) {
  const missing = whyNot(place);
  if (missing !== null) process.stdout.write(`${place}: left out, ${missing}\n`);
  else if (!(await campaignIn(place))) clean = false;
}
process.exitCode = clean ? 0 : 1;

async function campaignIn(place: Place): Promise<boolean> {
  const dir = mkdtempSync(join(tmpdir(), 'receiptd-files-'));
  makeGround(dir);
  const { rounds, from, operations: jobs } = options;
  const work: WorkerOptions = {
    place,
    dir,
    from,
    rounds,
    jobs,
    atOnce: Math.min(options['at-once'], rounds),
  };
  const worker = fileURLToPath(new URL('./worker.js', import.meta.url));
  const [command, args] = inPlace(place, worker, JSON.stringify(work));
  const child = spawn(command, args, {
    // Each call on a mount blocks a thread while it waits.
    env: { ...process.env, DIR: dir, UV_THREADPOOL_SIZE: '16' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  running.add(child);
  const ended = new Promise<string | null>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (status, signal) =>
      resolve(status === 0 ? null : `it ended with ${signal ?? status}`),
    );
  });
  const results: RoundResult[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    const said = JSON.parse(line) as RoundResult | { readonly note: string };
    if ('note' in said) process.stdout.write(`${place}: ${said.note}\n`);
    else {
      results.push({ ...said, story: [] });
      process.stdout.write(storyOf(place, said));
    }
  }
  const trouble = await ended;
  running.delete(child);
  process.stdout.write(summaryOf(place, results));
  if (trouble !== null) process.stdout.write(`${place}: the campaign itself failed: ${trouble}\n`);
  const clean = trouble === null && results.every(({ breaches }) => breaches.length === 0);
  if (clean) rmSync(dir, { recursive: true, maxRetries: 3 });
  else process.stdout.write(`${place}: everything is kept in ${dir}\n`);
  return clean;
}
