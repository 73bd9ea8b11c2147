import { setTimeout as pause } from 'node:timers/promises';
import type { Io } from './io.ts';

/** Resolves with the result unless stopped first; for work that may hang and is safe to kill. */
export async function unlessStopped<T>({ stop }: Pick<Io, 'stop'>, work: () => Promise<T>): Promise<T> {
  stop.throwIfAborted();
  let end: () => void = () => {};
  const stopped = new Promise<never>((_, reject) => {
    end = () => reject(stop.reason as Error);
    stop.addEventListener('abort', end, { once: true });
  });
  try {
    return await Promise.race([work(), stopped]);
  } finally {
    stop.removeEventListener('abort', end);
  }
}

const GRACE_MS = 2_000;
const LOOK_AGAIN_AT_MOST_MS = 20;

/**
 * Call before exiting, which drops what a slow reader has not taken yet: `receiptd list --json | …` would end in the middle. Once the
 * command is to stop, a reader that stands still is waited for no longer than two seconds.
 */
export async function outputTaken(
  outputs: readonly NodeJS.WritableStream[],
  stop: AbortSignal,
): Promise<void> {
  const taken = Promise.all(
    outputs.map((output) => new Promise<void>((resolve) => void output.write('', () => resolve()))),
  );
  const stopped = new Promise<void>((resolve) => {
    if (stop.aborted) resolve();
    else stop.addEventListener('abort', () => resolve(), { once: true });
  });
  await Promise.race([taken, stopped.then(() => pause(GRACE_MS))]);
}

/**
 * Call before exiting: process exit waits for pending file system calls, forever if a share hangs. If they do not finish
 * soon, this kills the process with a signal.
 */
export async function filesAnswered(): Promise<void> {
  const latest = performance.now() + GRACE_MS;
  // Usually a file being closed, which takes a moment.
  let wait = 1;
  while (process.getActiveResourcesInfo().some((each) => each.startsWith('FSReq'))) {
    if (performance.now() > latest) process.kill(process.pid, 'SIGKILL');
    await pause(wait);
    wait = Math.min(wait * 2, LOOK_AGAIN_AT_MOST_MS);
  }
}
