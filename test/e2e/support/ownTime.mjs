// Loaded into the binary by NODE_OPTIONS: each SIGUSR2 sets its clock, and what it has measured, 25 minutes ahead; long waits are short.
import { isMainThread } from 'node:worker_threads';
import { systemClock } from '../../../dist/systemClock.js';

const STEP_MS = 25 * 60_000;
const LONG_MS = 60_000;

if (isMainThread) {
  const { now, monotonic, sleep } = systemClock;
  let ahead = 0;
  process.on('SIGUSR2', () => (ahead += STEP_MS));
  systemClock.now = () => now() + ahead;
  systemClock.monotonic = () => monotonic() + ahead;
  systemClock.sleep = (ms, signal) => sleep(ms < LONG_MS ? ms : 100, signal);
}
