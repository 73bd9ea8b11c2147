import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { CURL, missing, UNDICI } from '../peers/peers.ts';
import type { Bench, Figure, Scenario } from '../scenario.ts';
import { furnish } from '../world/agent.ts';
import { fill, photographs } from '../world/corpus.ts';
import { measure, median, type Command } from '../world/measure.ts';
import { startSink, type Sink } from '../world/sinkProcess.ts';

const AT_ONCE = 8;
const ANSWER_MS = 100;
/** Rounded up, because a partly filled last round takes as long as any other. */
const idealSeconds = (count: number): number => (Math.ceil(count / AT_ONCE) * ANSWER_MS) / 1_000;

interface Contender {
  readonly name: string;
  readonly command: (dir: string) => Promise<Command>;
}

/** Seconds. */
interface Run {
  readonly whole: number;
  /** From the head of the first upload to the last answer. */
  readonly sending: number;
}

/** A service with a realistic answer time: the overhead compared with 8 requests in flight at all times. */
export const service: Scenario = {
  name: 'service',
  title: `A service that answers after ${ANSWER_MS} ms, ${AT_ONCE} at a time`,
  async run(bench) {
    const { quick, scratch } = bench;
    const count = quick ? 152 : 1_000;
    const folder = join(scratch, 'service');
    const sink = await startSink({ answerAfterMs: ANSWER_MS });
    try {
      await fill(folder, (await photographs()).images, count);
      const skipped: string[] = [];
      const peers = [CURL, UNDICI].filter((peer) => {
        const lacking = missing(peer);
        if (lacking !== null) skipped.push(`${peer.name}: this machine has no ${lacking}.`);
        return lacking === null;
      });
      const contenders: Contender[] = [
        ...peers.map(({ name, command }) => ({
          name,
          command: (dir: string) => command({ folder, url: sink.url, scratch: dir, atOnce: AT_ONCE }),
        })),
        {
          name: 'receiptd',
          command: async (dir) =>
            (await furnish({ dir, baseUrl: sink.url, folder, concurrency: AT_ONCE }))('run', '--once'),
        },
      ];
      const runs = new Map<string, Run[]>(contenders.map(({ name }) => [name, []]));
      for (let run = 0; run < (quick ? 1 : 3); run += 1) {
        for (const contender of contenders) {
          runs.get(contender.name)?.push(await compete(contender, count, sink, bench));
        }
      }
      return { figures: figuresOf(count, runs, quick), skipped };
    } finally {
      await sink.close();
      await rm(folder, { recursive: true, force: true });
    }
  },
};

async function compete(
  contender: Contender,
  count: number,
  sink: Sink,
  { scratch, say }: Bench,
): Promise<Run> {
  const { name, command } = contender;
  const dir = join(scratch, 'run');
  await mkdir(dir, { recursive: true });
  const prepared = await command(dir);
  await sink.reset();
  const { wallSeconds: whole } = await measure(prepared);
  const { requests, truncated, names, answeredAt } = await sink.report();
  if (requests !== count || truncated > 0)
    throw new Error(`${name} sent ${requests} of ${count}, ${truncated} of them truncated`);
  await rm(dir, { recursive: true });
  const sending = (answeredAt - (names[0]?.[1] ?? NaN)) / 1_000;
  say(`${name}: ${whole} s, of which ${sending.toFixed(3)} s from the first request to the last answer`);
  return { whole, sending };
}

function figuresOf(count: number, all: ReadonlyMap<string, readonly Run[]>, quick: boolean): Figure[] {
  const ideal = idealSeconds(count);
  const over = (seconds: number): number => (seconds / ideal - 1) * 100;
  const figures: Figure[] = [
    { name: 'count', value: count, unit: 'count', better: null },
    { name: 'ideal', value: ideal, unit: 's', better: null },
  ];
  for (const [name, runs] of all) {
    const isOurs = name === 'receiptd';
    const better = isOurs ? ('less' as const) : null;
    const of = (part: (run: Run) => number): number => median(runs.map(part));
    figures.push(
      {
        name: `${name}, over the ideal`,
        value: of(({ whole }) => over(whole)),
        unit: '%',
        better,
        // No target for short runs, which the start dominates.
        ...(isOurs && !quick && { target: 3 }),
        note: 'the whole process',
      },
      {
        name: `${name}, over the ideal while sending`,
        value: of(({ sending }) => over(sending)),
        unit: '%',
        better,
        note: 'from the first request to the last answer',
      },
      {
        name: `${name}, start and end`,
        value: of(({ whole, sending }) => (whole - sending) * 1_000),
        unit: 'ms',
        better,
      },
    );
  }
  return figures;
}
