import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { epochMs } from './epoch.ts';

/** A file to be written to a watched folder. */
export interface Arrival {
  /** Unique name without extension. */
  readonly stem: string;
  readonly extension: 'jpg' | 'png';
  readonly image: Buffer;
}

export interface Closed {
  readonly stem: string;
  readonly bytes: number;
  /** Milliseconds since the epoch. */
  readonly closedAt: number;
}

/** Writes a file in one go. */
export function write(folder: string, arrival: Arrival): Closed {
  const { stem, image } = arrival;
  const file = openSync(pathOf(folder, arrival), 'wx');
  writeSync(file, image);
  closeSync(file);
  return { stem, bytes: image.length, closedAt: epochMs() };
}

/** Writes files in sequence, with jitter, so that the interval does not match a quiet time. */
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

/** Writes a file in pieces with pauses. `reopening`: closes it after each piece, like a resumed copy. */
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
