/** Runs rounds in one place, several at once, and prints each result as a line of JSON. */
import { drawModels } from './contents.ts';
import type { Place } from './places.ts';
import { runRound, type Ground, type RoundResult } from './round.ts';

export interface WorkerOptions {
  readonly place: Place;
  readonly dir: string;
  readonly from: number;
  readonly rounds: number;
  readonly jobs: number;
  readonly atOnce: number;
}

async function main({ place, dir, from, rounds, jobs, atOnce }: WorkerOptions): Promise<void> {
  const models = await drawModels();
  const ground: Ground = {
    disk: `${dir}/disk`,
    seen: place === 'polled' ? `${dir}/share` : `${dir}/disk`,
    elsewhere: `${dir}/elsewhere`,
    // FUSE caches names and attributes for a second.
    quiet: place === 'polled' ? { atLeastMs: 2_000, slackMs: 1_100 } : { atLeastMs: 0, slackMs: 12 },
    mayClose: process.geteuid?.() !== 0,
  };
  const say = (result: RoundResult | { note: string }): void =>
    void process.stdout.write(`${JSON.stringify(result)}\n`);
  if (!ground.mayClose)
    say({ note: 'closed files and directories are left out: root passes every permission check' });
  let next = from;
  const lane = async (): Promise<void> => {
    while (next < from + rounds) {
      const seed = next;
      next += 1;
      say(await runRound(ground, { seed, jobs, models }));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
}

await main(JSON.parse(process.argv[2] ?? '{}') as WorkerOptions);
