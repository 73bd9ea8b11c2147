/** Clean-up after each test, passed or failed. The set-up file `afterEachTest.ts` runs it. */
import type { ChildProcess } from 'node:child_process';

const cleanups: (() => unknown)[] = [];
const running = new Set<ChildProcess>();

// A test process that ends early must leave no process behind.
process.on('exit', killRunning);

/** Runs after the test, last in, first out. */
export function cleanUp(work: () => unknown): void {
  cleanups.push(work);
}

/** Killed after the test, before anything else is cleaned up. */
export function killAfterTest(child: ChildProcess): void {
  running.add(child);
  child.once('close', () => running.delete(child));
}

export async function runCleanups(): Promise<void> {
  killRunning();
  const failures: unknown[] = [];
  for (const work of cleanups.splice(0).toReversed()) {
    try {
      await work();
    } catch (e) {
      failures.push(e);
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, 'something could not be cleaned up');
}

function killRunning(): void {
  for (const child of running) child.kill('SIGKILL');
}
