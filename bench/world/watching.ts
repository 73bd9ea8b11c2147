import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { write, writeSlowly, writeSteadily, type Arrival, type Closed } from './arrivals.ts';
import { startBackground } from './background.ts';
import { photographs, stamped } from './corpus.ts';
import type { Command } from './measure.ts';
import { drawnPng, stampedPng } from './pngs.ts';
import type { SinkReport } from './sink.ts';
import type { Sink } from './sinkProcess.ts';

const LOOK_EVERY_MS = 25;
const LOST_AFTER_MS = 60_000;
const IDLE_MS = 500;

/** A program that watches a folder and sends new files. */
export interface Watched {
  readonly name: string;
  readonly isOurs: boolean;
  readonly quietMs: number;
  readonly counts: { readonly steady: number; readonly lone: number; readonly slow: number };
  readonly command: (dir: string, folder: string) => Promise<Command>;
  /** Output that shows that it is watching; it misses files that arrive earlier. */
  readonly ready?: string;
}

/** Milliseconds from the close of each file to the head of its upload. */
export interface Waits {
  readonly steady: number[];
  readonly lone: number[];
  readonly slow: number[];
  readonly truncated: number;
}

export type Draw = (stem: string) => Arrival;

/** Alternates photographs and scans, all different. */
export async function painter(): Promise<Draw> {
  const { images } = await photographs();
  const png = await drawnPng();
  let drawn = 0;
  return (stem) => {
    const number = drawn++;
    return number % 2 === 0
      ? { stem, extension: 'jpg', image: stamped(images[(number / 2) % images.length] as Buffer, number) }
      : { stem, extension: 'png', image: stampedPng(png, number) };
  };
}

/** Writes a stream of files, then single files, then files by concurrent slow writers. @throws Error if ours does not send each once and complete */
export async function watch(
  watched: Watched,
  { sink, draw, dir, everyMs }: { sink: Sink; draw: Draw; dir: string; everyMs: number },
): Promise<Waits> {
  const { counts, quietMs, isOurs } = watched;
  const folder = join(dir, 'scans');
  await mkdir(folder, { recursive: true });
  const drawn = (what: string, count: number): Arrival[] =>
    Array.from({ length: count }, (_, index) => draw(`${what}${index}`));
  await sink.reset();
  const running = await startBackground(await watched.command(dir, folder));
  try {
    if (watched.ready !== undefined) await running.hasSaid(watched.ready);
    for (const arrival of drawn('first', 1)) await waits(sink, [write(folder, arrival)]);
    await sink.reset();

    const steady = await writeSteadily(folder, drawn('steady', counts.steady), everyMs);
    const steadyMs = await waits(sink, steady);

    const lone: Closed[] = [];
    const loneMs: number[] = [];
    for (const arrival of drawn('lone', counts.lone)) {
      await sleep(IDLE_MS + quietMs);
      const closed = write(folder, arrival);
      lone.push(closed);
      loneMs.push(...(await waits(sink, [closed])));
    }

    const slow = await Promise.all(
      drawn('slow', counts.slow).map((arrival, index) => {
        const pauses = [0, 3, 6].map((pause) => 100 + ((index * 5 + pause) % 8) * 100);
        return writeSlowly(folder, arrival, pauses, index % 4 > 1);
      }),
    );
    const slowMs = await waits(sink, slow);

    const { requests, truncated, bytes } = await wholeReport(sink);
    const written = [...steady, ...lone, ...slow];
    const off = bytes - written.reduce((sum, closed) => sum + closed.bytes, 0);
    if (isOurs && (truncated > 0 || requests !== written.length || off !== 0))
      throw new Error(
        `${requests} requests for ${written.length} files, ${truncated} truncated, ${off} bytes off`,
      );
    return { steady: steadyMs, lone: loneMs, slow: slowMs, truncated };
  } finally {
    await running.stop();
    await rm(dir, { recursive: true, force: true });
  }
}

/** Waits until the upload of each has begun and none is in progress. */
async function waits(sink: Sink, files: readonly Closed[]): Promise<number[]> {
  const until = Date.now() + LOST_AFTER_MS;
  for (;;) {
    const { names } = await wholeReport(sink);
    const first = new Map(
      names.toReversed().map(([name, at]) => [name.replace(/(-[0-9a-f]{12}|\.\w+)$/, ''), at]),
    );
    const begun = files.flatMap(({ stem, closedAt }) => {
      const at = first.get(stem);
      return at === undefined ? [] : [at - closedAt];
    });
    if (begun.length === files.length) return begun;
    if (Date.now() > until)
      throw new Error(`${files.length - begun.length} of ${files.length} files were not sent`);
    await sleep(LOOK_EVERY_MS);
  }
}

/** Waits for bodies in progress, which the report does not count yet. */
async function wholeReport(sink: Sink): Promise<SinkReport> {
  const until = Date.now() + LOST_AFTER_MS;
  for (;;) {
    const report = await sink.report();
    if (report.requests >= report.names.length) return report;
    if (Date.now() > until)
      throw new Error(`${report.names.length - report.requests} uploads were not finished`);
    await sleep(LOOK_EVERY_MS);
  }
}
