import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { callControl } from '../../src/control/client.ts';
import { freePort } from '../../test/support/ports.ts';
import type { Bench, Figure, Scenario } from '../scenario.ts';
import { furnish } from '../world/agent.ts';
import { small } from '../world/corpus.ts';
import { startDaemon } from '../world/daemon.ts';
import { knowFolder } from '../world/knownFolder.ts';
import { quantile } from '../world/measure.ts';
import { postResults, type Posted } from '../world/postResults.ts';
import { startSink, type Sink } from '../world/sinkProcess.ts';

const SCAN_BYTES = 6_000;
const PER_SECOND = 1_000;
const LOOK_EVERY_MS = 200;
const P99_MS = 250;

/** Results that the service posts while a backlog is sent. */
export const results: Scenario = {
  name: 'results',
  title: 'Results of the service during uploads',
  async run(bench) {
    const backlog = bench.quick ? 3_000 : 30_000;
    const sink = await startSink();
    try {
      const alone = await drain(sink, backlog, bench, false);
      const beside = await drain(sink, backlog, bench, true);
      const { tookMs, refused, perSecond } = beside.posted ?? { tookMs: [], refused: 0, perSecond: 0 };
      const figures: Figure[] = [
        { name: 'backlog', value: backlog, unit: 'count', better: null },
        { name: 'uploads without results', value: alone.perSecond, unit: '/s', better: 'more' },
        {
          name: 'uploads with results',
          value: beside.perSecond,
          unit: '/s',
          better: 'more',
          note: 'The same machine also runs the service, which posts them.',
        },
        { name: 'results taken', value: perSecond, unit: '/s', better: 'more', target: PER_SECOND * 0.95 },
        {
          name: 'answer to a result, p99',
          value: quantile(tookMs, 0.99),
          unit: 'ms',
          better: 'less',
          target: P99_MS,
          note: `${tookMs.length} results, ${refused} of them refused. Each is on disk before it is answered.`,
        },
        { name: 'answer to a result, median', value: quantile(tookMs, 0.5), unit: 'ms', better: 'less' },
      ];
      return { figures, skipped: [] };
    } finally {
      await sink.close();
    }
  },
};

async function drain(
  sink: Sink,
  backlog: number,
  { scratch, say }: Bench,
  withResults: boolean,
): Promise<{ perSecond: number; posted: Posted | null }> {
  const dir = join(scratch, withResults ? 'results' : 'without-results');
  await mkdir(dir, { recursive: true });
  await sink.reset();
  try {
    const listen = `127.0.0.1:${await freePort()}`;
    const settings = { results: { listen, rate: 'unlimited' }, log: { level: 'warn' } };
    const receiptd = await furnish({ dir, baseUrl: sink.url, settings });
    await knowFolder({ dir, baseUrl: sink.url, receiptd, count: backlog, queued: await small(SCAN_BYTES) });
    say(
      `${backlog} documents are queued${withResults ? `, and ${PER_SECOND} results come each second` : ''}`,
    );
    const daemon = await startDaemon(dir, receiptd('run'));
    await daemon.reconciled();
    const over = new AbortController();
    const { path } = await callControl(join(dir, 'state'), 'resultsPath', {});
    let sent: string[] = [];
    while (sent.length === 0) sent = (await sink.report()).names.map(([name]) => name);
    const posting = withResults
      ? postResults(`http://${listen}${path}`, sent, PER_SECOND, over.signal)
      : Promise.resolve(null);
    const [from, since] = [(await sink.report()).requests, performance.now()];
    let now = from;
    while (now < backlog) {
      await sleep(LOOK_EVERY_MS);
      now = (await sink.report()).requests;
    }
    const perSecond = ((now - from) * 1_000) / (performance.now() - since);
    over.abort();
    const posted = await posting;
    await daemon.stop();
    return { perSecond, posted };
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
