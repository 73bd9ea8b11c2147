import { setTimeout as pause } from 'node:timers/promises';
import type { Io } from './io.ts';

/** The result, unless somebody asks for the end first: for work that may hang, and that a kill does no harm. */
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
 * To be waited for before an exit, which would wait for whatever the file system was asked, forever where a share hangs: if an answer
 * does not come soon, a signal ends the process here.
 */
export async function filesAnswered(): Promise<void> {
  const latest = performance.now() + GRACE_MS;
  // Most often it is a file being closed, which is done in a moment.
  let wait = 1;
  while (process.getActiveResourcesInfo().some((each) => each.startsWith('FSReq'))) {
    if (performance.now() > latest) process.kill(process.pid, 'SIGKILL');
    await pause(wait);
    wait = Math.min(wait * 2, LOOK_AGAIN_AT_MOST_MS);
  }
}
