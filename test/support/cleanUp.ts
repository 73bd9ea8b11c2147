/** Clean-up after each test, passed or failed. The set-up file `afterEachTest.ts` runs it. */
import type { ChildProcess } from 'node:child_process';

const cleanups: (() => unknown)[] = [];
const running = new Set<ChildProcess>();
/** Of a whole file. */
const lasting = new Set<ChildProcess>();

// A test process that ends early must leave no process behind.
process.on('exit', () => {
  kill(running);
  kill(lasting);
});

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
  kill(running);
  await run(cleanups.splice(0));
}

/** For `beforeAll`: what was started up to now lasts until `afterAll` calls the returned function. */
export function keepForFile(): () => Promise<void> {
  const works = cleanups.splice(0);
  const children = [...running];
  for (const child of children) {
    running.delete(child);
    lasting.add(child);
    child.once('close', () => lasting.delete(child));
  }
  return async () => {
    kill(children);
    await run(works);
  };
}

async function run(works: readonly (() => unknown)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const work of works.toReversed()) {
    try {
      await work();
    } catch (e) {
      failures.push(e);
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, 'something could not be cleaned up');
}

function kill(children: Iterable<ChildProcess>): void {
  for (const child of children) child.kill('SIGKILL');
}
