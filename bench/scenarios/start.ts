import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openSqliteReports } from '../../src/ledger/sqlite/openReports.ts';
import { missing, type Peer } from '../peers/peers.ts';
import type { Bench, Figure, Scenario } from '../scenario.ts';
import { furnish } from '../world/agent.ts';
import { write } from '../world/arrivals.ts';
import { small } from '../world/corpus.ts';
import { startDaemon } from '../world/daemon.ts';
import { secondsToHead } from '../world/heads.ts';
import { SENT_FILE_BYTES, knowFolder } from '../world/knownFolder.ts';
import { measure, memory } from '../world/measure.ts';
import { ioBytes, processorSeconds, tellsOfProcesses } from '../world/proc.ts';
import { startSink, type Sink } from '../world/sinkProcess.ts';

const SCAN_BYTES = 20_000;
const PATIENCE_MS = 10 * 60_000;

/** Lists every file with its `lstat`, as the agent does. */
const FIND: Peer = {
  name: 'find',
  needs: ['find'],
  command: async ({ folder }) => ({
    file: 'find',
    args: [folder, '-type', 'f', '-printf', '%f %s %T@ %C@ %i\n'],
  }),
};

interface Start {
  readonly count: number;
  readonly opened: number;
  readonly watching: number;
  readonly reconciled: number;
  readonly processor: number;
  readonly peakBytes: number;
  readonly readBytes: number;
  readonly scan: number;
  /** Null without `find`. */
  readonly find: number | null;
}

/** Start of an agent whose folder contains only known files, compared with `find` over the same files. */
export const start: Scenario = {
  name: 'start',
  title: 'Starting with a folder full of known files',
  async run(bench) {
    if (!tellsOfProcesses()) return { figures: [], skipped: ['start: this machine has no /proc.'] };
    const count = bench.quick ? 20_000 : 1_000_000;
    const lacking = missing(FIND);
    const sink = await startSink();
    try {
      const few = await startOver(count / 10, sink, lacking === null, bench);
      const many = await startOver(count, sink, lacking === null, bench);
      return {
        figures: figuresOf(few, many),
        skipped: lacking === null ? [] : [`${FIND.name}: this machine has no ${lacking}.`],
      };
    } finally {
      await sink.close();
    }
  },
};

async function startOver(
  count: number,
  sink: Sink,
  withFind: boolean,
  { scratch, say }: Bench,
): Promise<Start> {
  const dir = join(scratch, 'start');
  const folder = join(dir, 'scans');
  await mkdir(dir, { recursive: true });
  const receiptd = await furnish({ dir, baseUrl: sink.url });
  await knowFolder({ dir, baseUrl: sink.url, receiptd, count, queued: null });
  say(`created ${count} known files`);
  const errand = { folder, url: sink.url, scratch, atOnce: 1 };
  const find = withFind ? (await measure(await FIND.command(errand))).wallSeconds : null;
  const image = await small(SCAN_BYTES);
  await sink.reset();

  const daemon = await startDaemon(dir, receiptd('run'));
  const watching = await daemon.watching();
  const fresh = write(folder, { stem: 'FRESH', extension: 'jpg', image });
  const { opened, reconciled } = await daemon.reconciled();
  const processor = await processorSeconds(daemon.pid);
  const readBytes = await ioBytes(daemon.pid, 'rchar');
  const [scan = NaN] = await secondsToHead(sink, [fresh], PATIENCE_MS);
  const peakBytes = await memory(daemon.pid, 'VmHWM');
  await daemon.stop();

  await mustBeAsBefore(dir, count, sink);
  await rm(dir, { recursive: true });
  say(
    `${count} known files: watching after ${watching.toFixed(2)} s, reconciled after ${reconciled.toFixed(2)} s`,
  );
  return { count, opened, watching, reconciled, processor, peakBytes, readBytes, scan, find };
}

/** Checks that no known file was read again: the files are not images, so the agent would have noted them. */
async function mustBeAsBefore(dir: string, count: number, sink: Sink): Promise<void> {
  const { requests, truncated } = await sink.report();
  if (requests !== 1 || truncated > 0) throw new Error(`one fresh scan caused ${requests} requests`);
  const reports = await openSqliteReports({ path: join(dir, 'state', 'ledger.db') });
  try {
    const counts = await reports.counts();
    const [only] = counts;
    if (counts.length !== 1 || only?.state !== 'accepted' || only.count !== count + 1)
      throw new Error(`${count} known files and a fresh one became ${JSON.stringify(counts)}`);
  } finally {
    await reports.close();
  }
}

/** Milliseconds per thousand files, that is, microseconds per file. */
function forThousand({ opened, reconciled, count }: Start): number {
  return ((reconciled - opened) * 1_000_000) / count;
}

function figuresOf(few: Start, many: Start): Figure[] {
  const less = 'less' as const;
  return [
    ...(many.find === null
      ? []
      : [
          {
            name: 'reconciling vs. find',
            value: (many.reconciled - many.opened) / many.find,
            unit: 'ratio' as const,
            better: less,
            note: 'From the open ledger on, compared with a find that reads the same metadata.',
          },
          { name: 'find', value: many.find, unit: 's' as const, better: null },
        ]),
    { name: 'known files', value: many.count, unit: 'count', better: null },
    {
      name: 'watching',
      value: many.watching,
      unit: 's',
      better: less,
      target: 2,
      note: 'From the start until the system reports new files.',
    },
    {
      name: 'reconciled',
      value: many.reconciled,
      unit: 's',
      better: less,
      target: 15,
      note: 'From the start.',
    },
    { name: 'peak memory', value: many.peakBytes / 1e6, unit: 'MB', better: less, target: 300 },
    { name: 'processor', value: many.processor, unit: 's', better: less, note: 'Until it is reconciled.' },
    {
      name: 'read',
      value: many.readBytes / 1e6,
      unit: 'MB',
      better: less,
      note: `The ledger and the program; none of the known files (${(many.count * SENT_FILE_BYTES) / 1e6} MB) was read.`,
    },
    {
      name: 'a fresh scan during the listing',
      value: many.scan,
      unit: 's',
      better: less,
      note: 'Closed as soon as the folder is watched; from the close to the head of its upload.',
    },
    {
      name: 'reconciling 1,000 files',
      value: forThousand(many),
      unit: 'ms',
      better: less,
      note: 'From the open ledger on; the same number of microseconds per file.',
    },
    {
      name: 'reconciling 1,000 files, with a tenth of the files',
      value: forThousand(few),
      unit: 'ms',
      better: less,
    },
    {
      name: 'reconciling a file vs. with a tenth of the files',
      value: forThousand(many) / forThousand(few),
      unit: 'ratio',
      better: less,
      note: '1 means a linear cost; less means that the start has a fixed cost.',
    },
    { name: 'ledger open', value: many.opened, unit: 's', better: less, note: 'From the start.' },
    { name: 'ledger open, with a tenth of the files', value: few.opened, unit: 's', better: less },
  ];
}
