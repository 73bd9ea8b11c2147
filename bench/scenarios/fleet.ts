import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startCluster, type Cluster } from '../../test/support/postgresCluster.ts';
import { postgresBinaries } from '../../test/support/postgresRun.ts';
import type { Bench, Figure, Findings, Scenario } from '../scenario.ts';
import { furnish } from '../world/agent.ts';
import { startBackground, type Background } from '../world/background.ts';
import { claimLatencies } from '../world/claims.ts';
import { epochMs } from '../world/epoch.ts';
import { fill, photographs, small } from '../world/corpus.ts';
import { databaseProcessorSeconds, freshDatabase } from '../world/fleetDatabase.ts';
import { median } from '../world/measure.ts';
import { processorSeconds } from '../world/proc.ts';
import { startSink, type Sink } from '../world/sinkProcess.ts';

const SMALL_BYTES = 20_000;
const LOOK_EVERY_MS = 250;
const PATIENCE_MS = 600_000;
const AGENTS = [1, 2, 4];
const ALONE = 'SQLite, 1 agent';

/** A slow service and a low concurrency, so that agents wait for the service, not for the CPU. */
const SLOW = { answerAfterMs: 100, concurrency: 2 };
const TWO_OF_ONE = 1.6;

interface Load {
  readonly name: string;
  readonly count: number;
  readonly images: readonly Buffer[];
  /** The service's answer time, and each agent's concurrency. */
  readonly pace?: { readonly answerAfterMs: number; readonly concurrency: number };
}

interface Contender {
  readonly name: string;
  readonly agents: number;
  /** Null: each agent has its own ledger. */
  readonly cluster: Cluster | null;
}

interface Run {
  readonly perSecond: number;
  /** CPU milliseconds per document. */
  readonly agentsMs: number;
  readonly databaseMs: number;
}

/** Agents that share a folder and a PostgreSQL ledger, compared with one agent that has its own ledger; and a very long shared queue. */
export const fleet: Scenario = {
  name: 'fleet',
  title: 'A fleet on one PostgreSQL, compared with one agent on SQLite',
  async run(bench) {
    if (postgresBinaries() === null) return { figures: [], skipped: ['This machine has no PostgreSQL.'] };
    const { quick } = bench;
    const cluster = await startCluster({ durable: true, settings: { shared_buffers: '512MB' } });
    try {
      const { images, kind } = await photographs();
      const loads: Load[] = [
        { name: `${kind} receipts`, count: quick ? 200 : 300, images },
        { name: 'small files', count: quick ? 500 : 800, images: [await small(SMALL_BYTES)] },
        {
          name: `small files, ${SLOW.concurrency} requests at once of ${SLOW.answerAfterMs} ms each`,
          count: quick ? 200 : 600,
          images: [await small(SMALL_BYTES)],
          pace: SLOW,
        },
      ];
      const figures: Figure[] = [];
      for (const load of loads) {
        const sink = await startSink(load.pace);
        try {
          figures.push(...(await compete(load, sink, cluster, bench)));
        } finally {
          await sink.close();
        }
      }
      figures.push(...(await claimLatencies(cluster, bench)));
      return { figures, skipped: [] } satisfies Findings;
    } finally {
      await cluster.remove();
    }
  },
};

async function compete(
  load: Load,
  sink: Sink,
  cluster: Cluster,
  { quick, scratch, say }: Bench,
): Promise<Figure[]> {
  const batch = join(scratch, 'batch');
  await fill(batch, load.images, load.count);
  const contenders: Contender[] = [
    { name: ALONE, agents: 1, cluster: null },
    ...AGENTS.map((agents) => ({ name: contender(agents), agents, cluster })),
  ];
  const runs = new Map<string, Run[]>(contenders.map(({ name }) => [name, []]));
  for (let round = 0; round < (quick ? 1 : 3); round += 1) {
    for (const contender of contenders) {
      const run = await race(contender, load, sink, join(scratch, 'run'), batch);
      runs.get(contender.name)?.push(run);
      const { perSecond, agentsMs, databaseMs } = run;
      say(
        `${load.name}, ${contender.name}: ${perSecond.toFixed(0)}/s, ${agentsMs.toFixed(1)} ms of processor time of the agents, ${databaseMs.toFixed(1)} ms of the database`,
      );
    }
  }
  await rm(batch, { recursive: true });
  return figuresOf(load, runs);
}

/** Measures from the moment when all files appear in the folder of all agents to the last answer. */
async function race(
  { agents, cluster }: Contender,
  { count, pace }: Load,
  sink: Sink,
  dir: string,
  batch: string,
): Promise<Run> {
  const folder = join(dir, 'scans');
  const fresh = cluster === null ? null : await freshDatabase(cluster, 'bench');
  await sink.reset();
  const started: Background[] = [];
  for (let each = 0; each < agents; each += 1) {
    const ledger = fresh && { kind: 'postgres', url: fresh.url, agent: `agent-${each}` };
    const own = join(dir, `agent-${each}`);
    await mkdir(own, { recursive: true });
    const command = await furnish({
      dir: own,
      baseUrl: sink.url,
      folder,
      ...(pace && { concurrency: pace.concurrency }),
      folderSettings: { recursive: true, ...(ledger && { share: 'scans' }) },
      ...(ledger && { settings: { ledger } }),
    });
    const agent = await startBackground(command('run'));
    await agent.hasSaid('receiptd has started');
    started.push(agent);
  }
  // Only the leader of a shared folder watches it.
  await Promise.any(started.map((agent) => agent.hasSaid('"Watching"')));
  const used = () => Promise.all(started.map(({ pid }) => processorSeconds(pid)));
  const database = () => (cluster === null ? 0 : databaseProcessorSeconds(cluster));
  const [agentsBefore, databaseBefore] = [sum(await used()), await database()];
  const startedAt = epochMs();
  await rename(batch, join(folder, 'batch'));
  const until = Date.now() + PATIENCE_MS;
  let report = await sink.report();
  while (report.requests < count) {
    if (Date.now() > until) throw new Error(`${report.requests} of ${count} were sent in time`);
    await sleep(LOOK_EVERY_MS);
    report = await sink.report();
  }
  const [agentsAfter, databaseAfter] = [sum(await used()), await database()];
  for (const agent of started) await agent.stop();
  const { requests, truncated, answeredAt } = await sink.report();
  if (requests !== count || truncated > 0)
    throw new Error(`${requests} requests for ${count} images, ${truncated} of them truncated`);
  await rename(join(folder, 'batch'), batch);
  await fresh?.remove();
  await rm(dir, { recursive: true });
  return {
    perSecond: (count / (answeredAt - startedAt)) * 1_000,
    agentsMs: ((agentsAfter - agentsBefore) / count) * 1_000,
    databaseMs: ((databaseAfter - databaseBefore) / count) * 1_000,
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, each) => total + each, 0);
}

const contender = (agents: number): string => `PostgreSQL, ${agents} ${agents === 1 ? 'agent' : 'agents'}`;

/** The median ratio of alternating runs. */
function ratios(runs: readonly Run[], others: readonly Run[] = []): number {
  return median(runs.map(({ perSecond }, index) => perSecond / (others[index]?.perSecond ?? NaN)));
}

function figuresOf(load: Load, all: ReadonlyMap<string, readonly Run[]>): Figure[] {
  const of = (what: string): string => `${load.name}: ${what}`;
  const figures: Figure[] = [{ name: of('count'), value: load.count, unit: 'count', better: null }];
  for (const [name, runs] of all) {
    const better = name === ALONE ? null : ('more' as const);
    if (name !== ALONE) {
      const ofAlone = ratios(runs, all.get(ALONE));
      figures.push({ name: of(`${name} vs. SQLite`), value: ofAlone, unit: 'ratio', better });
      if (name !== contender(1))
        figures.push({
          name: of(`${name} vs. 1 agent`),
          value: ratios(runs, all.get(contender(1))),
          unit: 'ratio',
          better,
          ...(load.pace && name === contender(2) && { target: TWO_OF_ONE }),
        });
    }
    const middle = (what: keyof Run): number => median(runs.map((run) => run[what]));
    figures.push(
      { name: of(`${name}, documents`), value: middle('perSecond'), unit: '/s', better },
      {
        name: of(`${name}, processor of the agents per document`),
        value: middle('agentsMs'),
        unit: 'ms',
        better: 'less',
      },
    );
    if (name !== ALONE)
      figures.push({
        name: of(`${name}, processor of the database per document`),
        value: middle('databaseMs'),
        unit: 'ms',
        better: 'less',
      });
  }
  return figures;
}
