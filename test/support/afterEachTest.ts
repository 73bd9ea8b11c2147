import { inspect, isDeepStrictEqual } from 'node:util';
import { afterAll, afterEach, vi } from 'vitest';
import { runCleanups } from './cleanUp.ts';

const EVENTS = [
  'SIGINT',
  'SIGTERM',
  'SIGHUP',
  'uncaughtException',
  'unhandledRejection',
  'warning',
  'worker',
];

/** What the next file of this process would meet. */
function processState() {
  // `sharp` sets VIPSHOME when it is loaded.
  const { VIPSHOME: _, ...env } = process.env;
  const listeners = Object.fromEntries(EVENTS.map((event) => [event, process.listenerCount(event)]));
  return { env, cwd: process.cwd(), user: process.geteuid?.(), listeners };
}

// Here, not in the helpers: a helper is evaluated once in a process that runs many files, and its hooks would belong to the first alone.
afterEach(runCleanups);
afterEach(() => void vi.unstubAllEnvs());

const before = processState();
afterAll(() => {
  const after = processState();
  if (!isDeepStrictEqual(after, before))
    throw new Error(`A test left its process changed: ${inspect({ before, after }, { depth: 3 })}`);
});
