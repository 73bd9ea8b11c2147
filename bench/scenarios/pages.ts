import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import sharp from 'sharp';
import { sha256 } from '../../src/core/sha256.ts';
import { startSandbox, type Sandbox } from '../../src/sandbox/server.ts';
import { drawReceipt } from '../../test/support/images.ts';
import { pdfOf, type PdfPage } from '../../test/support/pdf.ts';
import { blankSheet } from '../../test/support/spoiled.ts';
import { tiffOf } from '../../test/support/tiff.ts';
import type { Bench, Figure, Scenario } from '../scenario.ts';
import { ENDPOINT, furnish } from '../world/agent.ts';
import { pageCosts } from '../world/pageCosts.ts';
import { fill, photographs, stamped } from '../world/corpus.ts';
import { startDaemon } from '../world/daemon.ts';
import { measure, median, memory, type Command } from '../world/measure.ts';
import { tellsOfProcesses } from '../world/proc.ts';
import { childrenOf, runWithChildren, type Run } from '../world/runWithChildren.ts';
import { startSink } from '../world/sinkProcess.ts';
import { withoutPackages } from '../world/withoutPackages.ts';

/** Longer side of the pages in a TIFF, in pixels. */
const TIFF_SIDE = 800;
const IDLE_MS = 20_000;

interface Load {
  readonly name: string;
  readonly file: string;
  readonly bytes: Buffer;
  readonly pages: number;
  readonly folder?: Record<string, unknown>;
  /** Hashes of the documents that must arrive, or their number if the hashes are unknown. */
  readonly arrives: ReadonlySet<string> | number;
}

/** Multi-page files, and the cost of being able to split them. */
export const pages: Scenario = {
  name: 'pages',
  title: 'Multi-page files',
  async run(bench) {
    if (!tellsOfProcesses()) return { figures: [], skipped: ['pages: this machine has no /proc.'] };
    const { images, kind } = await photographs();
    const figures: Figure[] = [];
    for (const load of await loads(images, kind, bench.quick))
      figures.push(...(await takeApart(load, bench)));
    const scans = await Promise.all(images.slice(0, bench.quick ? 5 : 20).map(toPage));
    figures.push(...(await pageCosts(scans, bench.quick ? 1 : 5)));
    figures.push(...(await plain(images, kind, bench)), ...(await atRest(bench)));
    return { figures, skipped: [] };
  },
};

async function loads(images: readonly Buffer[], kind: string, quick: boolean): Promise<Load[]> {
  const scans = await Promise.all(images.map(toPage));
  const hashes = new Set(images.map((image) => sha256(image)));
  const back = await toPage(await blankSheet());
  const many = await Promise.all(
    Array.from({ length: 50 }, (_, at) =>
      drawReceipt({ type: 'jpeg', seed: `page ${at}`, width: 600, height: 900 }),
    ),
  );
  const count = quick ? 200 : 2_000;
  const drawn = await Promise.all(many.map(toPage));
  const grey = await Promise.all(images.map(toGrey));
  return [
    {
      name: `PDF of ${images.length} ${kind} receipts`,
      file: 'receipts.pdf',
      bytes: pdfOf(scans),
      pages: images.length,
      arrives: hashes,
    },
    {
      name: `TIFF of ${images.length} ${kind} receipts`,
      file: 'receipts.tif',
      bytes: tiffOf(grey),
      pages: images.length,
      arrives: new Set(grey.map(({ pixels }) => sha256(pixels))).size,
    },
    {
      name: `PDF of ${images.length} ${kind} receipts with blank backs`,
      file: 'duplex.pdf',
      bytes: pdfOf(scans.flatMap((scan) => [scan, back])),
      pages: 2 * images.length,
      folder: { qualityCheck: 'warn' },
      arrives: hashes,
    },
    {
      name: `PDF of ${count} pages`,
      file: 'many.pdf',
      // Every page has content, and all differ.
      bytes: pdfOf(
        Array.from({ length: count }, (_, at): PdfPage => {
          const scan = drawn[at % drawn.length] as Awaited<ReturnType<typeof toPage>>;
          return { ...scan, jpeg: stamped(scan.jpeg, at) };
        }),
      ),
      pages: count,
      arrives: count,
    },
  ];
}

async function takeApart(load: Load, { scratch, say }: Bench): Promise<Figure[]> {
  const dir = join(scratch, 'pages');
  const sandbox = await office(dir);
  try {
    const folder = { name: '{stem}-{page:4}', settle: { long: '250ms' }, ...load.folder };
    const receiptd = await furnish({
      dir,
      baseUrl: sandbox.url,
      folderSettings: { maxFileSize: '1GB', ...folder },
    });
    await writeFile(join(dir, 'scans', load.file), load.bytes);
    const run = await runWithChildren(receiptd('run', '--once'));
    expectArrived(load, sandbox);
    // The same file again.
    await writeFile(join(dir, 'scans', `again ${load.file}`), load.bytes);
    const again = await runWithChildren(receiptd('run', '--once'));
    expectArrived(load, sandbox);
    say(`${load.name}: ${run.wallSeconds.toFixed(1)} s, again ${again.wallSeconds.toFixed(1)} s`);
    return figuresOf(load, run, again, sandbox.received().length);
  } finally {
    await sandbox.close();
    await rm(dir, { recursive: true, force: true });
  }
}

async function office(dir: string): Promise<Sandbox> {
  await mkdir(dir, { recursive: true });
  return startSandbox({
    dir: join(dir, 'sandbox'),
    credentials: { clientId: 'bench', clientSecret: 'bench' },
    endpoints: [{ uid: ENDPOINT, name: 'office' }],
  });
}

/** @throws Error if a document is missing, was sent twice, or has other bytes */
function expectArrived({ name, arrives }: Load, sandbox: Sandbox): void {
  const received = sandbox.received();
  const names = new Set(received.map((each) => each.name));
  const { repeats } = sandbox.stats();
  const [wanted, found] = [typeof arrives === 'number' ? arrives : arrives.size, received.length];
  if (found !== wanted || names.size !== found || repeats > 0)
    throw new Error(
      `${name}: ${found} of ${wanted} arrived under ${names.size} names, ${repeats} of them again`,
    );
  if (typeof arrives !== 'number' && received.some((each) => !arrives.has(each.sha256)))
    throw new Error(`${name}: the arrived bytes differ from those in the file`);
}

function figuresOf({ name, bytes, pages: count }: Load, run: Run, again: Run, sent: number): Figure[] {
  const of = (what: string): string => `${name}: ${what}`;
  return [
    { name: of('size'), value: bytes.length / 1e6, unit: 'MB', better: null },
    { name: of('sent, each once'), value: sent, unit: 'count', better: null },
    { name: of('time per page'), value: (run.wallSeconds * 1e3) / count, unit: 'ms', better: 'less' },
    { name: of('the same file again'), value: again.wallSeconds, unit: 's', better: 'less' },
    { name: of('peak memory of the agent'), value: run.peakBytes / 1e6, unit: 'MB', better: 'less' },
    {
      name: of('peak memory of the page reader'),
      value: run.childrenPeakBytes / 1e6,
      unit: 'MB',
      better: 'less',
    },
  ];
}

/** Plain JPEGs, sent in turn by installs with and without the packages for splitting files. */
async function plain(
  images: readonly Buffer[],
  kind: string,
  { quick, scratch, say }: Bench,
): Promise<Figure[]> {
  const dir = join(scratch, 'plain');
  const count = quick ? 300 : 2_000;
  const folder = join(dir, 'photographs');
  await fill(folder, images, count);
  const lacking = await withoutPackages(join(dir, 'lacking'));
  const sink = await startSink();
  try {
    const ratios: number[] = [];
    for (let pair = 0; pair <= (quick ? 1 : 5); pair += 1) {
      const seconds: number[] = [];
      for (const how of [lacking, asItIs]) {
        await sink.reset();
        await mkdir(join(dir, 'run'));
        const receiptd = await furnish({ dir: join(dir, 'run'), baseUrl: sink.url, folder });
        const usage = await measure(how(receiptd('run', '--once')));
        const { requests } = await sink.report();
        if (requests !== count) throw new Error(`${requests} of ${count} images were sent`);
        await rm(join(dir, 'run'), { recursive: true });
        seconds.push(usage.wallSeconds);
      }
      const [without = NaN, having = NaN] = seconds;
      // The first pair warms the page cache.
      if (pair > 0) ratios.push(having / without);
      say(`${count} ${kind} receipts: ${having} s, without the packages ${without} s`);
    }
    return [
      {
        name: 'plain JPEGs: vs. a program without the packages',
        value: median(ratios),
        unit: 'ratio',
        better: 'less',
        target: 1.05,
        note: `${count} ${kind} receipts, ${ratios.length} pairs.`,
      },
    ];
  } finally {
    await sink.close();
    await rm(dir, { recursive: true, force: true });
  }
}

/** Idle agents: one that split a PDF earlier, one that never did, and one without the packages. */
async function atRest({ scratch, say }: Bench): Promise<Figure[]> {
  const dir = join(scratch, 'rest');
  const lacking = await withoutPackages(join(dir, 'lacking'));
  const drawn = await drawReceipt({ type: 'jpeg', seed: 'rest' });
  const figures: Figure[] = [];
  const kinds = [
    { name: 'at rest: without the packages', how: lacking, file: null },
    { name: 'at rest: with the packages', how: asItIs, file: null },
    { name: 'at rest: after a PDF', how: asItIs, file: pdfOf([await toPage(drawn)]) },
  ];
  try {
    for (const { name, how, file } of kinds) {
      const home = join(dir, 'home');
      const sandbox = await office(home);
      const receiptd = await furnish({ dir: home, baseUrl: sandbox.url });
      const daemon = await startDaemon(home, how(receiptd('run')));
      try {
        await daemon.reconciled();
        if (file !== null) {
          await writeFile(join(home, 'scans', 'one.pdf'), file);
          while (sandbox.received().length === 0) await sleep(50);
        }
        await sleep(IDLE_MS);
        const children = (await childrenOf(daemon.pid)).length;
        if (children > 0) throw new Error(`${name}: the agent has ${children} child processes`);
        figures.push({ name, value: (await memory(daemon.pid, 'VmRSS')) / 1e6, unit: 'MB', better: 'less' });
        say(`${name}: ${figures.at(-1)?.value.toFixed(0)} MB`);
      } finally {
        await daemon.stop();
        await sandbox.close();
        await rm(home, { recursive: true, force: true });
      }
    }
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
  return figures;
}

function asItIs(command: Command): Command {
  return command;
}

async function toPage(jpeg: Buffer): Promise<Extract<PdfPage, { jpeg: Buffer }>> {
  const { width, height } = await sharp(jpeg).metadata();
  return { jpeg, width, height };
}

async function toGrey(image: Buffer): Promise<{ width: number; height: number; pixels: Buffer }> {
  const { data, info } = await sharp(image)
    .resize({ width: TIFF_SIDE, height: TIFF_SIDE, fit: 'inside' })
    .greyscale()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, pixels: data };
}
