import { join } from 'node:path';
import { INOTIFY_LOOP } from '../peers/inotifyLoop.ts';
import { missing } from '../peers/peers.ts';
import type { Figure, Scenario } from '../scenario.ts';
import { furnish } from '../world/agent.ts';
import { median, quantile } from '../world/measure.ts';
import { startSink, type Sink } from '../world/sinkProcess.ts';
import { painter, watch, type Waits, type Watched } from '../world/watching.ts';

const DEFAULT_CONCURRENCY = 4;

interface Watcher extends Watched {
  readonly targets?: { readonly median: number; readonly p99: number };
}

/** Time from the close of a new file to the head of its upload. */
export const latency: Scenario = {
  name: 'latency',
  title: 'From the close of a file to its upload',
  async run({ quick, scratch, say }) {
    const sink = await startSink();
    const skipped: string[] = [];
    const figures: Figure[] = [];
    try {
      const few = { steady: quick ? 10 : 100, lone: 0, slow: quick ? 0 : 20 };
      const all = { steady: quick ? 40 : 200, lone: quick ? 3 : 30, slow: quick ? 8 : 40 };
      const watchers: Watcher[] = [
        { ...receiptd(sink, null), targets: { median: 300, p99: 600 }, counts: all },
        { ...receiptd(sink, 50), counts: few },
        { ...receiptd(sink, 2_000), counts: few },
      ];
      const lacking = missing(INOTIFY_LOOP);
      if (lacking === null)
        watchers.push({ ...loop(sink), counts: { ...all, lone: Math.ceil(all.lone / 2) } });
      else skipped.push(`${INOTIFY_LOOP.name}: this machine has no ${lacking}.`);
      const draw = await painter();
      for (const watcher of watchers) {
        const dir = join(scratch, 'latency');
        const waits = await watch(watcher, { sink, draw, dir, everyMs: quick ? 50 : 100 });
        say(
          `${watcher.name}: ${median(waits.steady).toFixed(0)} ms, ${waits.truncated} truncated files sent`,
        );
        figures.push(...figuresOf(watcher, waits));
      }
      return { figures, skipped };
    } finally {
      await sink.close();
    }
  },
};

function receiptd(sink: Sink, shortMs: number | null): Omit<Watcher, 'counts'> {
  const folderSettings = shortMs === null ? {} : { settle: { short: `${shortMs}ms` } };
  return {
    name: shortMs === null ? 'default' : `settle.short ${shortMs} ms`,
    isOurs: true,
    quietMs: shortMs ?? 200,
    command: async (dir, folder) =>
      (await furnish({ dir, baseUrl: sink.url, folder, concurrency: DEFAULT_CONCURRENCY, folderSettings }))(
        'run',
      ),
  };
}

function loop(sink: Sink): Omit<Watcher, 'counts'> {
  const { name, command } = INOTIFY_LOOP;
  return {
    name,
    isOurs: false,
    quietMs: 0,
    ready: 'Watches established',
    command: (scratch, folder) => command({ folder, url: sink.url, scratch, atOnce: 1 }),
  };
}

function figuresOf(watcher: Watcher, { steady, lone, slow, truncated }: Waits): Figure[] {
  const { name, isOurs, counts } = watcher;
  return [
    ...quantiles(watcher, 'steady stream', steady),
    ...quantiles(watcher, 'lone files', lone),
    // A file sent before its close has no such time.
    ...quantiles(watcher, 'slow writers', isOurs ? slow : []),
    ...(counts.slow === 0
      ? []
      : [
          {
            name: `${name}: truncated files sent`,
            value: truncated,
            unit: 'count' as const,
            better: isOurs ? ('less' as const) : null,
            ...(isOurs && { target: 0 }),
            note: `while ${counts.slow} slow writers are at work`,
          },
        ]),
  ];
}

function quantiles(
  { name, isOurs, quietMs, targets }: Watcher,
  what: string,
  waits: readonly number[],
): Figure[] {
  if (waits.length === 0) return [];
  const better = isOurs ? ('less' as const) : null;
  const of = (part: string): string => `${name}: ${what}, ${part}`;
  const middle = median(waits);
  return [
    { name: of('median'), value: middle, unit: 'ms', better, ...(targets && { target: targets.median }) },
    ...(isOurs && quietMs > 0
      ? [{ name: of('median beyond the quiet time'), value: middle - quietMs, unit: 'ms' as const, better }]
      : []),
    {
      name: of('p99'),
      value: quantile(waits, 0.99),
      unit: 'ms',
      better,
      ...(targets && { target: targets.p99 }),
      note: `of ${waits.length} files`,
    },
  ];
}
