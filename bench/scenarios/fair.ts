import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openSqliteReports } from '../../src/ledger/sqlite/openReports.ts';
import type { Bench, Figure, Scenario } from '../scenario.ts';
import { furnish } from '../world/agent.ts';
import { writeSteadily } from '../world/arrivals.ts';
import { small, stamped } from '../world/corpus.ts';
import { startDaemon } from '../world/daemon.ts';
import { secondsToHead } from '../world/heads.ts';
import { knowFolder } from '../world/knownFolder.ts';
import { median, quantile } from '../world/measure.ts';
import { startSink, type Sink } from '../world/sinkProcess.ts';

const SCAN_BYTES = 6_000;
const PATIENCE_MS = 2 * 60_000;
const TARGET_S = 2;

interface Limit {
  readonly rate: string;
  /** Milliseconds in which no more than `count` requests may begin. */
  readonly intervalMs: number;
  readonly count: number;
  /** Interval between fresh scans. A tenth of a one-minute window is reserved for them. */
  readonly everyMs: number;
  readonly scans: number;
}

/** Latency of fresh scans while a backlog uses up the rate limit. */
export const fair: Scenario = {
  name: 'fair',
  title: 'Fresh scans during a backlog',
  async run(bench) {
    const { quick, scratch } = bench;
    const backlog = quick ? 3_000 : 100_000;
    const limits: Limit[] = [
      // The slower limit first, because its requests do not fill a window of the other.
      {
        rate: '120/min',
        intervalMs: 60_000,
        count: 120,
        everyMs: quick ? 700 : 6_000,
        scans: quick ? 4 : 20,
      },
      { rate: '5/s', intervalMs: 1_000, count: 5, everyMs: quick ? 700 : 2_000, scans: quick ? 4 : 40 },
    ];
    const dir = join(scratch, 'fair');
    const sink = await startSink();
    try {
      await mkdir(dir, { recursive: true });
      const image = await small(SCAN_BYTES);
      const receiptd = await furnish({ dir, baseUrl: sink.url });
      await knowFolder({ dir, baseUrl: sink.url, receiptd, count: backlog, queued: image });
      const figures: Figure[] = [{ name: 'backlog', value: backlog, unit: 'count', better: null }];
      let number = backlog;
      for (const limit of limits) {
        const fresh = Array.from({ length: limit.scans }, () => stamped(image, (number += 1)));
        figures.push(...(await keepUp(limit, fresh, { dir, sink, backlog }, bench)));
      }
      return { figures, skipped: [] };
    } finally {
      await sink.close();
      await rm(dir, { recursive: true, force: true });
    }
  },
};

interface Office {
  readonly dir: string;
  readonly sink: Sink;
  readonly backlog: number;
}

async function keepUp(
  { rate, intervalMs, count, everyMs }: Limit,
  images: readonly Buffer[],
  { dir, sink, backlog }: Office,
  { say }: Bench,
): Promise<Figure[]> {
  await sink.reset();
  const receiptd = await furnish({ dir, baseUrl: sink.url, delivery: { rate } });
  const daemon = await startDaemon(dir, receiptd('run'));
  await daemon.reconciled();
  const waiting = await queued(dir);
  say(`${rate}: ${waiting} documents are queued`);
  const prefix = `FRESH${rate.replace(/\W/g, '')}`;
  const arrivals = images.map((image, index) => ({
    stem: `${prefix}${index}`,
    extension: 'jpg' as const,
    image,
  }));
  const closed = await writeSteadily(join(dir, 'scans'), arrivals, everyMs);
  const seconds = await secondsToHead(sink, closed, PATIENCE_MS);
  const left = await queued(dir);
  await daemon.stop();
  const { names, truncated } = await sink.report();
  if (truncated > 0) throw new Error(`${truncated} truncated files were sent`);
  if (waiting < backlog / 2 || left === 0)
    throw new Error(`There was no backlog: ${waiting} queued, then ${left}`);
  const of = (what: string): string => `${rate}: ${what}`;
  return [
    {
      name: of('close to head, slowest'),
      value: Math.max(...seconds),
      unit: 's',
      better: 'less',
      target: TARGET_S,
      note: `${seconds.length} scans.`,
    },
    { name: of('close to head, p90'), value: quantile(seconds, 0.9), unit: 's', better: 'less' },
    { name: of('close to head, median'), value: median(seconds), unit: 's', better: 'less' },
    { name: of('still queued'), value: left, unit: 'count', better: null },
    {
      name: of(`maximum in ${intervalMs / 1_000} s`),
      value: most(
        names.map(([, at]) => at),
        intervalMs,
      ),
      unit: 'count',
      better: null,
      note: `Counted at the sink; ${count} may be sent. A delayed sink sees requests closer together.`,
    },
  ];
}

async function queued(dir: string): Promise<number> {
  const reports = await openSqliteReports({ path: join(dir, 'state', 'ledger.db') });
  try {
    const counts = await reports.counts();
    return counts.reduce((sum, { state, count }) => (state === 'queued' ? sum + count : sum), 0);
  } finally {
    await reports.close();
  }
}

/** The largest number of times within any interval of this length. */
function most(times: readonly number[], intervalMs: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  let from = 0;
  let largest = 0;
  for (const [index, at] of sorted.entries()) {
    while ((sorted[from] ?? at) <= at - intervalMs) from += 1;
    largest = Math.max(largest, index - from + 1);
  }
  return largest;
}
