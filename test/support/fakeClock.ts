/**
 * Virtual time: it stands still until a test advances it, and then wakes sleepers one after the other, each at its
 * time, letting everything settle in between. What is set off by a sleeper happens at that sleeper's time.
 */
import { setImmediate as setRealImmediate, setTimeout as setRealTimeout } from 'node:timers';
import { setTimeout as sleepForReal } from 'node:timers/promises';
import type { Clock } from '../../src/core/ports/clock.ts';

/** A ledger write takes one turn of the event loop; the longest chain of them between two sleeps is far below this. */
const QUIET_TURNS = 12;
/** A look at a file takes some turns, a sync of one thousands. */
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

  /** How many sleep; to find what was left behind. */
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

  /** Somebody sets the wall clock; monotonic time goes on as before. */
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
    this.#moveTo(end);
    await settle();
  }

  /** Advances in steps until `condition` holds, giving real events (inotify) the time that they take. */
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
  // By callbacks: it is called for every sleeper, and a promise for each turn would cost more than the turn.
  await new Promise<void>((resolve) => {
    let quiet = 0;
    let busy = 0;
    const look = (): void => {
      if (fileOperations() > lingering) {
        quiet = 0;
        busy += 1;
        // What takes long gets the processor.
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

/** Under way, the closing of files included. */
function fileOperations(): number {
  return process.getActiveResourcesInfo().filter((name) => name.startsWith('FSReq') || name === 'CloseReq')
    .length;
}

/** Node lists some of the loader's own forever. */
let lingering = fileOperations();

/** Polls a condition on the real clock. */
export async function eventually(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + DEADLINE_MS;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error('the condition did not come to hold');
    await sleepForReal(5);
  }
}
