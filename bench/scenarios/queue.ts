import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Figure, Scenario } from '../scenario.ts';
import { fillLedger, imaginedFiles } from '../world/fillLedger.ts';
import { median, quantile } from '../world/measure.ts';
import type { QueueReport } from '../world/queueProbe.ts';

const PROBE = fileURLToPath(new URL('../world/queueProbe.js', import.meta.url));
const BASE_URL = 'http://127.0.0.1:9';
const BARE = 'two bare appends';
const REPORT_LIMIT = 256 * 1024 * 1024;

/** The ledger as a queue: the cost of claims and status queries when the queue is very long. */
export const queue: Scenario = {
  name: 'queue',
  title: 'A very long queue',
  async run({ quick, scratch, say }) {
    const count = quick ? 30_000 : 1_000_000;
    const dir = join(scratch, 'queue');
    const path = join(dir, 'ledger.db');
    try {
      await fillLedger({
        path,
        baseUrl: BASE_URL,
        folder: '/srv/scans',
        state: 'queued',
        entries: imaginedFiles(count),
      });
      say(`${count} documents are queued`);
      const { stdout } = await promisify(execFile)(
        process.execPath,
        ['--expose-gc', PROBE, path, BASE_URL, String(quick ? 6 : 90)],
        { maxBuffer: REPORT_LIMIT },
      );
      return { figures: figuresOf(count, JSON.parse(stdout) as QueueReport), skipped: [] };
    } finally {
      await rm(dir, { recursive: true, force: true });
    }
  },
};

function figuresOf(count: number, { opened, documents, timings, early, late }: QueueReport): Figure[] {
  const { [BARE]: bare = [], record = [] } = timings;
  const figures: Figure[] = [
    {
      name: 'record vs. two bare appends',
      value: median(record) / median(bare),
      unit: 'ratio',
      better: 'less',
      note: 'Measured between the records: two appends of 512 bytes to a file on the same disk, each synced.',
    },
    { name: 'queued documents', value: count, unit: 'count', better: null },
    { name: 'sent in the meantime', value: documents, unit: 'count', better: null },
  ];
  for (const [name, all] of Object.entries(timings)) {
    const isOurs = name !== BARE;
    const better = isOurs ? ('less' as const) : null;
    figures.push(
      { name: `${name}, p99`, value: quantile(all, 0.99), unit: 'ms', better, ...(isOurs && { target: 5 }) },
      { name: `${name}, median`, value: median(all), unit: 'ms', better, note: `${all.length} times.` },
    );
  }
  figures.push(
    {
      name: 'open for writing',
      value: opened,
      unit: 'ms',
      better: 'less',
      note: 'After a clean shutdown, which saves the check.',
    },
    { name: 'resident memory', value: late.rss / 1e6, unit: 'MB', better: 'less' },
    { name: 'growth of resident memory', value: (late.rss - early.rss) / 1e6, unit: 'MB', better: 'less' },
    {
      name: 'growth of the heap',
      value: (late.heapUsed - early.heapUsed) / 1e6,
      unit: 'MB',
      better: 'less',
      note: 'After garbage collection; from the first tenth of the time to the end.',
    },
  );
  return figures;
}
