import { setTimeout as sleep } from 'node:timers/promises';
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

/** Servers, watches and children: what holds a port, a descriptor or a process. */
const HANDLES = new Set([
  'TCPServerWrap',
  'PipeServerWrap',
  'FSEventWrap',
  'StatWatcher',
  'ProcessWrap',
  'UDPWrap',
]);
/** Closed handles take a moment to disappear. */
const CLOSED_WITHIN_MS = 10_000;

/** State that would leak into the next test file of this process. */
function processState() {
  // `sharp` sets VIPSHOME when it is loaded.
  const { VIPSHOME: _, ...env } = process.env;
  const listeners = Object.fromEntries(EVENTS.map((event) => [event, process.listenerCount(event)]));
  const handles = process
    .getActiveResourcesInfo()
    .filter((kind) => HANDLES.has(kind))
    .toSorted();
  return { env, cwd: process.cwd(), user: process.geteuid?.(), listeners, handles };
}

// Here, not in the helpers: a helper is evaluated once in a process that runs many files, and its hooks would belong to the first alone.
afterEach(runCleanups);
afterEach(() => void vi.unstubAllEnvs());

const before = processState();
afterAll(async () => {
  const deadline = Date.now() + CLOSED_WITHIN_MS;
  let after = processState();
  while (after.handles.length > before.handles.length && Date.now() < deadline) {
    await sleep(20);
    after = processState();
  }
  const changed = (Object.keys(before) as (keyof typeof before)[]).filter(
    (key) => !isDeepStrictEqual(after[key], before[key]),
  );
  if (changed.length === 0) return;
  const differing = changed.map((key) => ({ [key]: { before: before[key], after: after[key] } }));
  throw new Error(`A test left its process changed: ${inspect(differing, { depth: 3 })}`);
});
