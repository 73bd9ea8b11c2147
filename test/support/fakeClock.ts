/**
 * Virtual time: it stands still until a test advances it. Then it wakes sleepers one by one, each at its time, and lets
 * everything settle in between, so that whatever a sleeper triggers happens at that sleeper's time.
 */
import { setImmediate as setRealImmediate, setTimeout as setRealTimeout } from 'node:timers';
import { setTimeout as sleepForReal } from 'node:timers/promises';
import type { Clock } from '../../src/core/ports/clock.ts';

/** A ledger write takes one turn of the event loop; the longest chain of them between two sleeps is far below this. */
const QUIET_TURNS = 12;
/** A stat of a file takes a few turns, an fsync thousands. */
const BUSY_TURNS = 50;
const DEADLINE_MS = 60_000;

interface Sleeper {
  readonly at: number;
  readonly wake: () => void;
}

export class FakeClock implements Clock {
  #monotonic = 0;
  #wall: number;
  readonly #sleepers = new Set<Sleeper>();

  constructor(wall = new Date(2026, 2, 2, 9, 0).getTime()) {
    this.#wall = wall;
  }

  now(): number {
    return Math.floor(this.#wall);
  }

  monotonic(): number {
    return this.#monotonic;
  }

  /** Number of sleepers; finds timers that were left behind. */
  get sleeping(): number {
    return this.#sleepers.size;
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const sleeper: Sleeper = {
        at: this.#monotonic + Math.max(0, ms),
        wake: () => {
          this.#sleepers.delete(sleeper);
          signal?.removeEventListener('abort', abort);
          resolve();
        },
      };
      const abort = (): void => {
        this.#sleepers.delete(sleeper);
        reject(signal?.reason as Error);
      };
      this.#sleepers.add(sleeper);
      signal?.addEventListener('abort', abort, { once: true });
    });
  }

  /** Sets the wall clock forward or back; monotonic time is unaffected. */
  jump(ms: number): void {
    this.#wall += ms;
  }

  async advance(ms: number): Promise<void> {
    const end = this.#monotonic + ms;
    await settle();
    for (let next = this.#next(end); next; next = this.#next(end)) {
      this.#moveTo(next.at);
      next.wake();
      await settle();
    }
    // Nobody sleeps until then: all is settled still.
    this.#moveTo(end);
  }

  /** Advances in steps until `condition` holds, leaving real time for real events (inotify). */
  async advanceUntil(condition: () => boolean | Promise<boolean>, stepMs = 50): Promise<void> {
    const deadline = performance.now() + DEADLINE_MS;
    while (!(await condition())) {
      if (performance.now() > deadline) throw new Error('the condition did not come to hold');
      await sleepForReal(2);
      await this.advance(stepMs);
    }
  }

  #next(end: number): Sleeper | undefined {
    let first: Sleeper | undefined;
    for (const sleeper of this.#sleepers) if (!first || sleeper.at < first.at) first = sleeper;
    return first && first.at <= end ? first : undefined;
  }

  #moveTo(at: number): void {
    this.#wall += at - this.#monotonic;
    this.#monotonic = at;
  }
}

/** Resolves once microtasks, immediates and file operations have nothing more to do. */
export async function settle(): Promise<void> {
  lingering = Math.min(lingering, fileOperations());
  // Callbacks, because this runs for every sleeper, and a promise a turn would cost more than the turn.
  await new Promise<void>((resolve) => {
    let quiet = 0;
    let busy = 0;
    const look = (): void => {
      if (fileOperations() > lingering) {
        quiet = 0;
        busy += 1;
        // Long operations get the processor.
        if (busy > BUSY_TURNS) setRealTimeout(look, 1);
        else setRealImmediate(look);
        return;
      }
      busy = 0;
      quiet += 1;
      if (quiet > QUIET_TURNS) resolve();
      else setRealImmediate(look);
    };
    setRealImmediate(look);
  });
}

/** Number of file operations in progress, including closing files. */
function fileOperations(): number {
  let count = 0;
  for (const name of process.getActiveResourcesInfo())
    if (name.startsWith('FSReq') || name === 'CloseReq') count += 1;
  return count;
}

/** Operations of Node's module loader stay listed forever. */
let lingering = fileOperations();

/** Polls a condition on the real clock. */
export async function eventually(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + DEADLINE_MS;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error('the condition did not come to hold');
    await sleepForReal(5);
  }
}
