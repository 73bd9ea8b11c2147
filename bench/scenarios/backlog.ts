import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { CURL, missing, RCLONE, UNDICI, UNDICI_HASH, XARGS, type Peer } from '../peers/peers.ts';
import type { Bench, Figure, Findings, Scenario } from '../scenario.ts';
import { furnish } from '../world/agent.ts';
import { fill, photographs, small } from '../world/corpus.ts';
import { measure, median, type Command, type Usage } from '../world/measure.ts';
import { startSink, type Sink } from '../world/sinkProcess.ts';

const AT_ONCE = 8;
const SMALL_BYTES = 20_000;

interface Load {
  readonly name: string;
  readonly count: number;
  readonly images: readonly Buffer[];
  readonly peers: readonly Peer[];
  /** Null if the ratio has no target. */
  readonly target: number | null;
  readonly runs: number;
}

const QUICK_PEERS = [CURL, UNDICI, UNDICI_HASH];
/** Peers that take minutes get fewer files and only one run with curl, since their ratio is clear enough. */
const SLOW_PEERS = [CURL, XARGS, RCLONE];
const SLOW_COUNT = 500;

interface Contender {
  readonly name: string;
  readonly command: (scratch: string) => Promise<Command>;
}

/** One-shot upload of a full folder. The contenders take turns, and each ratio compares a pair of runs. */
export const backlog: Scenario = {
  name: 'backlog',
  title: 'A backlog, compared with curl --parallel',
  async run(bench) {
    const { quick } = bench;
    const sink = await startSink();
    try {
      const { images, kind } = await photographs();
      const kinds = [
        { name: `${kind} receipts`, count: quick ? 500 : 5_000, images, target: 1.6 },
        {
          name: 'small files',
          count: quick ? 2_000 : 20_000,
          images: [await small(SMALL_BYTES)],
          target: 2.5,
        },
      ];
      const loads: Load[] = kinds.map((each) => ({ ...each, peers: QUICK_PEERS, runs: quick ? 1 : 3 }));
      const some = { count: SLOW_COUNT, peers: SLOW_PEERS, target: null, runs: 1 };
      if (!quick) loads.push(...kinds.map((each) => ({ ...each, name: `some ${each.name}`, ...some })));
      const findings: Findings[] = [];
      for (const load of loads) findings.push(await compete(load, sink, bench));
      return {
        figures: findings.flatMap(({ figures }) => figures),
        skipped: [...new Set(findings.flatMap(({ skipped }) => skipped))],
      };
    } finally {
      await sink.close();
    }
  },
};

async function compete(load: Load, sink: Sink, { scratch, say }: Bench): Promise<Findings> {
  const folder = join(scratch, 'backlog');
  const bytes = await fill(folder, load.images, load.count);
  const errand = (dir: string) => ({ folder, url: sink.url, scratch: dir, atOnce: AT_ONCE });
  const skipped: string[] = [];
  const peers = load.peers.filter((peer) => {
    const lacking = missing(peer);
    if (lacking !== null) skipped.push(`${peer.name}: this machine has no ${lacking}.`);
    return lacking === null;
  });
  const contenders: Contender[] = peers.map((peer) => ({
    name: peer.name,
    command: (dir: string) => peer.command(errand(dir)),
  }));
  if (load.target !== null)
    contenders.push({
      name: 'receiptd',
      command: async (dir) =>
        (await furnish({ dir, baseUrl: sink.url, folder, concurrency: AT_ONCE }))('run', '--once'),
    });
  const usages = new Map<string, Usage[]>(contenders.map(({ name }) => [name, []]));
  for (let run = 0; run <= load.runs; run += 1) {
    for (const { name, command } of contenders) {
      const dir = join(scratch, 'run');
      await mkdir(dir, { recursive: true });
      await sink.reset();
      const usage = await measure(await command(dir));
      const { requests, truncated } = await sink.report();
      if (requests !== load.count || truncated > 0)
        throw new Error(`${name} sent ${requests} of ${load.count}, ${truncated} of them truncated`);
      await rm(dir, { recursive: true });
      // The first round warms the page cache.
      if (run > 0) usages.get(name)?.push(usage);
      say(
        `${load.name}, ${name}: ${usage.wallSeconds} s, ${usage.cpuSeconds.toFixed(2)} s of processor time`,
      );
    }
  }
  await rm(folder, { recursive: true });
  return { figures: figuresOf(load, bytes, usages), skipped };
}

function figuresOf(load: Load, bytes: number, usages: ReadonlyMap<string, readonly Usage[]>): Figure[] {
  const base = usages.get(CURL.name);
  const of = (what: string): string => `${load.name}: ${what}`;
  const figures: Figure[] = [
    { name: of('count'), value: load.count, unit: 'count', better: null },
    { name: of('size'), value: bytes / 1e6, unit: 'MB', better: null },
  ];
  for (const [name, runs] of usages) {
    if (runs.length === 0) continue;
    const ratios = runs.flatMap(
      ({ wallSeconds }, index) => wallSeconds / (base?.[index]?.wallSeconds ?? NaN),
    );
    const isOurs = name === 'receiptd';
    const better = isOurs ? ('less' as const) : null;
    if (base && name !== CURL.name)
      figures.push({
        name: of(`${name} vs. curl`),
        value: median(ratios),
        unit: 'ratio',
        better,
        ...(isOurs && load.target !== null && { target: load.target }),
      });
    figures.push(
      { name: of(`${name}, time`), value: median(runs.map((run) => run.wallSeconds)), unit: 's', better },
      { name: of(`${name}, processor`), value: median(runs.map((run) => run.cpuSeconds)), unit: 's', better },
      {
        name: of(`${name}, peak memory`),
        value: Math.max(...runs.map((run) => run.peakBytes)) / 1e6,
        unit: 'MB',
        better,
      },
    );
  }
  return figures;
}
