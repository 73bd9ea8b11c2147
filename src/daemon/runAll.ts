import { setMaxListeners } from 'node:events';

/** Runs all parts until `stop` aborts. If one rejects, stops the others cleanly, waits for them, and rejects. */
export async function runAll(
  parts: readonly ((stopping: AbortSignal) => Promise<unknown>)[],
  stop: AbortSignal,
): Promise<void> {
  const failed = new AbortController();
  const stopping = AbortSignal.any([stop, failed.signal]);
  // Every folder adds a listener; without this Node warns of a leak.
  setMaxListeners(0, stopping);
  const running = parts.map((part) => part(stopping));
  for (const part of running) part.catch(() => failed.abort(new Error('a part of the agent failed')));
  await Promise.allSettled(running);
  await Promise.all(running);
}
