import { setMaxListeners } from 'node:events';

/** Runs all parts until `stop` aborts. A defect of one stops the others as cleanly as a person would, and rejects. */
export async function runAll(
  parts: readonly ((stopping: AbortSignal) => Promise<unknown>)[],
  stop: AbortSignal,
): Promise<void> {
  const failed = new AbortController();
  const stopping = AbortSignal.any([stop, failed.signal]);
  // Every folder listens to it; Node would warn of a leak.
  setMaxListeners(0, stopping);
  const running = parts.map((part) => part(stopping));
  for (const part of running) part.catch(() => failed.abort(new Error('a part of the agent failed')));
  await Promise.allSettled(running);
  await Promise.all(running);
}
