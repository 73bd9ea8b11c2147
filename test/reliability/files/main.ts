/** Plays rounds in each place; those of a place run in a process that sees its file systems. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { playRounds, roundsOf, trialOptions } from '../support/campaign.ts';
import { drawModels } from './contents.ts';
import { inPlace, makeGround, PLACES, whyNot, type Place } from './places.ts';
import { runRound, type Ground } from './round.ts';

/** The directory of the place that this process plays in; unset in the process that starts these. */
const GROUND = process.env['RECEIPTD_CAMPAIGN_GROUND'];

const options = trialOptions(
  'files',
  {
    ...roundsOf(20),
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

if (GROUND === undefined) {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  const wanted = PLACES.filter((place) => options[place]);
  for (const place of wanted.length > 0 ? wanted : PLACES) {
    const missing = whyNot(place);
    if (missing !== null) process.stdout.write(`${place}: left out, ${missing}\n`);
    else if (!(await playIn(place))) process.exitCode = 1;
  }
} else await play(GROUND);

/** Whether no round had a breach. */
async function playIn(place: Place): Promise<boolean> {
  const dir = mkdtempSync(join(tmpdir(), 'receiptd-files-'));
  makeGround(dir);
  const args = process.argv.slice(2).filter((each) => !PLACES.some((its) => each === `--${its}`));
  const [command, own] = inPlace(place, fileURLToPath(import.meta.url), ...args, `--${place}`);
  // Each call on a mount blocks a thread while it waits.
  const env = { ...process.env, DIR: dir, RECEIPTD_CAMPAIGN_GROUND: dir, UV_THREADPOOL_SIZE: '16' };
  const child = spawn(command, own, { env, stdio: ['ignore', 'inherit', 'inherit'] });
  const end = (): void => void child.kill('SIGKILL');
  process.once('exit', end);
  const [status] = (await once(child, 'exit')) as [number | null];
  process.off('exit', end);
  if (status === 0) rmSync(dir, { recursive: true, maxRetries: 3 });
  return status === 0;
}

async function play(dir: string): Promise<void> {
  const ground: Ground = {
    disk: `${dir}/disk`,
    seen: options.polled ? `${dir}/share` : `${dir}/disk`,
    elsewhere: `${dir}/elsewhere`,
    // FUSE caches names and attributes for a second.
    quiet: options.polled ? { atLeastMs: 2_000, slackMs: 1_100 } : { atLeastMs: 0, slackMs: 12 },
    mayClose: process.geteuid?.() !== 0,
  };
  if (!ground.mayClose)
    process.stdout.write('closed files and directories are left out: root passes every permission check\n');
  const models = await drawModels();
  const atOnce = options['at-once'];
  await playRounds('files', options, (seed) => runRound(ground, { seed, jobs: options.operations, models }), {
    atOnce,
  });
}
