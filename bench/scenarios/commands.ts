import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bench, Figure, Scenario } from '../scenario.ts';
import { furnish, PROGRAM } from '../world/agent.ts';
import { startBackground } from '../world/background.ts';
import { measure, median, type Command } from '../world/measure.ts';
import { startSink } from '../world/sinkProcess.ts';

const NODE = 'node -e 0';

/** Run times of commands, compared with a process that does nothing. */
export const commands: Scenario = {
  name: 'commands',
  title: 'Starting a command',
  run: async (bench) => ({ figures: await coldStarts(bench), skipped: [] }),
};

/** An agent runs meanwhile to answer `status`. */
async function coldStarts({ quick, scratch, say }: Bench): Promise<Figure[]> {
  const dir = join(scratch, 'starting');
  await mkdir(dir, { recursive: true });
  const sink = await startSink();
  const receiptd = await furnish({ dir, baseUrl: sink.url });
  const agent = await startBackground(receiptd('run'));
  try {
    await agent.hasSaid('receiptd has started');
    const node: Command = { file: process.execPath, args: ['-e', '0'] };
    const commands: [string, Command][] = [
      [NODE, node],
      ['receiptd --version', { ...node, args: [PROGRAM, '--version'] }],
      ['receiptd status', receiptd('status')],
    ];
    const times = new Map<string, number[]>(commands.map(([name]) => [name, []]));
    const runs = quick ? 5 : 30;
    for (let run = 0; run <= runs; run += 1) {
      for (const [name, command] of commands) {
        const { wallSeconds } = await measure(command);
        // The first round warms the page cache.
        if (run > 0) times.get(name)?.push(wallSeconds * 1_000);
      }
    }
    const base = times.get(NODE) ?? [];
    return [...times].flatMap(([name, waits]): Figure[] => {
      const middle = median(waits);
      say(`${name}: ${middle.toFixed(0)} ms`);
      const better = name === NODE ? null : ('less' as const);
      const time: Figure = {
        name: `${name}, time`,
        value: middle,
        unit: 'ms',
        better,
        note: 'the whole process',
      };
      if (name === NODE) return [time];
      const ratio = median(waits.map((wait, index) => wait / (base[index] ?? NaN)));
      return [{ name: `${name} vs. ${NODE}`, value: ratio, unit: 'ratio', better }, time];
    });
  } finally {
    await agent.stop();
    await sink.close();
    await rm(dir, { recursive: true, force: true });
  }
}
