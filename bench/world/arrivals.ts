import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { epochMs } from './epoch.ts';

/** A file that is about to come into a watched folder. */
export interface Arrival {
  /** Without its extension, and alone in having it. */
  readonly stem: string;
  readonly extension: 'jpg' | 'png';
  readonly image: Buffer;
}

export interface Closed {
  readonly stem: string;
  readonly bytes: number;
  /** Milliseconds of the epoch. */
  readonly closedAt: number;
}

/** At once. */
export function write(folder: string, arrival: Arrival): Closed {
  const { stem, image } = arrival;
  const file = openSync(pathOf(folder, arrival), 'wx');
  writeSync(file, image);
  closeSync(file);
  return { stem, bytes: image.length, closedAt: epochMs() };
}

/** One after the other, not quite regularly, so that nothing goes in step with a quiet time. */
export async function writeSteadily(
  folder: string,
  arrivals: readonly Arrival[],
  everyMs: number,
): Promise<Closed[]> {
  const closed: Closed[] = [];
  for (const [index, arrival] of arrivals.entries()) {
    closed.push(write(folder, arrival));
    await sleep(everyMs * (0.6 + (0.8 * ((index * 7) % 11)) / 10));
  }
  return closed;
}

/** In pieces with pauses. `reopening`: closed after every piece, as a copy that is taken up again does. */
export async function writeSlowly(
  folder: string,
  arrival: Arrival,
  pausesMs: readonly number[],
  reopening: boolean,
): Promise<Closed> {
  const { stem, image } = arrival;
  const path = pathOf(folder, arrival);
  const piece = Math.ceil(image.length / (pausesMs.length + 1));
  let file = openSync(path, 'ax');
  for (const [index, pauseMs] of pausesMs.entries()) {
    writeSync(file, image.subarray(index * piece, (index + 1) * piece));
    if (reopening) closeSync(file);
    await sleep(pauseMs);
    if (reopening) file = openSync(path, 'a');
  }
  writeSync(file, image.subarray(pausesMs.length * piece));
  closeSync(file);
  return { stem, bytes: image.length, closedAt: epochMs() };
}

function pathOf(folder: string, { stem, extension }: Arrival): string {
  return join(folder, `${stem}.${extension}`);
}
