import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CURL, missing } from '../peers/peers.ts';
import type { Bench, Figure, Scenario } from '../scenario.ts';
import { fill, photographs, small } from '../world/corpus.ts';
import * as over from '../world/overSlowLink.ts';
import { padded } from '../world/padded.ts';

const FIXED = [1, 4, 16];
/** Upper limit of the adaptive concurrency. */
const MOST = 16;
const SMALL_BYTES = 20_000;

interface Row extends over.Load {
  readonly fixed: readonly number[];
}

/** A branch office behind a slow link: is the link fully used, and does any upload time out? */
export const link: Scenario = {
  name: 'link',
  title: `A link of ${over.BYTES_PER_SECOND / 1e6} MB/s and ${over.ROUND_TRIP_MS} ms`,
  async run(bench) {
    const { quick } = bench;
    const lacking = missing(CURL);
    const dir = join(bench.scratch, 'link');
    try {
      const rows = [await receipts(dir, quick), await smallFiles(dir, quick)];
      const large = await oneLarge(dir, quick);
      const contenders = rows.flatMap((row) => [
        ...row.fixed.flatMap((atOnce) => (lacking === null ? [over.curl(row, atOnce)] : [])),
        ...row.fixed
          .filter((atOnce) => atOnce < MOST)
          .map((concurrency) => over.receiptd(row, 'fixed', { concurrency })),
        over.receiptd(row, 'adaptive', { concurrency: MOST }),
      ]);
      // Shorter than the whole upload, but longer than it takes to fill the socket buffers.
      const limitSeconds = quick ? 6 : 10;
      contenders.push(over.receiptd(large, 'fixed', { concurrency: 1, limitSeconds }));
      const sent = await (quick ? over.together : over.inTurn)(contenders, bench);
      return {
        figures: [
          ...[...rows, large].flatMap(({ name, count, bytes }): Figure[] => [
            { name: `${name}: count`, value: count, unit: 'count', better: null },
            { name: `${name}: size`, value: bytes / 1e6, unit: 'MB', better: null },
          ]),
          ...sent.flatMap((each) => figuresOf(each, bench)),
          ...rows.flatMap((row) => besideFixed(row, sent)),
        ],
        skipped: lacking === null ? [] : [`${CURL.name}: this machine has no ${lacking}.`],
      };
    } finally {
      await rm(dir, { recursive: true, force: true });
    }
  },
};

async function receipts(dir: string, quick: boolean): Promise<Row> {
  const { images, kind } = await photographs();
  const folder = join(dir, 'receipts');
  const sorted = images.toSorted((a, b) => a.length - b.length);
  const count = quick ? 12 : 60;
  // A quick run skips the largest.
  const bytes = await fill(folder, quick ? sorted.slice(images.length / 4) : images, count);
  return { name: `${kind} receipts`, folder, count, bytes, fixed: FIXED };
}

/** Small files fill the link only with many at once. */
async function smallFiles(dir: string, quick: boolean): Promise<Row> {
  const folder = join(dir, 'small');
  const count = quick ? 100 : 1_000;
  const bytes = await fill(folder, [await small(SMALL_BYTES)], count);
  // One at a time would take minutes.
  return { name: 'small files', folder, count, bytes, fixed: FIXED.filter((atOnce) => atOnce > 1) };
}

async function oneLarge(dir: string, quick: boolean): Promise<over.Load> {
  const [image = Buffer.alloc(0)] = (await photographs()).images;
  const folder = join(dir, 'large');
  const file = padded(image, quick ? 8_000_000 : 30_000_000);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'large.jpg'), file);
  return {
    name: 'one large receipt',
    folder,
    count: 1,
    bytes: file.length,
  };
}

function figuresOf({ contender, share, seconds, again }: over.Sent, { quick }: Bench): Figure[] {
  const { name, kind } = contender;
  const isAdaptive = kind === 'adaptive';
  return [
    {
      name: `${name}: share of the link used`,
      value: share * 100,
      unit: '%',
      better: isAdaptive ? 'more' : null,
      // No target for short runs, which TCP slow start dominates.
      ...(isAdaptive && !quick && { target: 95 }),
    },
    {
      name: `${name}: time`,
      value: seconds,
      unit: 's',
      better: null,
      note: 'from the first byte to the last',
    },
    ...(kind === 'peer'
      ? []
      : [
          {
            name: `${name}: sent again`,
            value: again,
            unit: 'count' as const,
            better: 'less' as const,
            target: 0,
          },
        ]),
  ];
}

/** Compares the adaptive concurrency with the best fixed one. */
function besideFixed(row: Row, sent: readonly over.Sent[]): Figure[] {
  const own = sent.filter(({ contender }) => contender.load === row);
  const adaptive = own.find(({ contender }) => contender.kind === 'adaptive');
  const fixed = own.filter(({ contender }) => contender.kind === 'peer');
  if (adaptive === undefined || fixed.length === 0) return [];
  return [
    {
      name: `${row.name}: receiptd, adaptive, vs. the best fixed concurrency of ${CURL.name}`,
      value: adaptive.seconds / Math.min(...fixed.map(({ seconds }) => seconds)),
      unit: 'ratio',
      better: 'less',
    },
  ];
}
