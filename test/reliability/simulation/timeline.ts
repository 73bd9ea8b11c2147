import type { Clock } from '../../../src/core/ports/clock.ts';
import type { Dice } from '../support/dice.ts';

/** The owner of pending events. Events of a dead owner never happen. */
export interface Owner {
  isDead: boolean;
}

/** The world outlives every process. */
export const WORLD: Owner = { isDead: false };

interface Event {
  readonly at: number;
  /** Random order of simultaneous events, so that every order occurs. */
  readonly order: number;
  readonly owner: Owner;
  readonly run: () => void;
  isCancelled: boolean;
}

/**
 * Virtual time: pending events, in order. Nothing in a simulation waits for anything real, so that one seed has one story. Milliseconds.
 */
export class Timeline {
  readonly #dice: Dice;
  readonly #heap: Event[] = [];
  #now = 0;
  #wallOffset: number;
  #sleeps = 0;
  #asleepMs = 0;

  /** `beginsAt`: what the wall clock shows at first. */
  constructor(dice: Dice, beginsAt: number) {
    this.#dice = dice;
    this.#wallOffset = beginsAt;
  }

  /** The wall clock shows something else. */
  onClockSet = (): void => {};

  get now(): number {
    return this.#now;
  }

  get wall(): number {
    return Math.floor(this.#now + this.#wallOffset);
  }

  setClock(byMs: number): void {
    this.#wallOffset += byMs;
    this.onClockSet();
  }

  /** How often the machine slept. */
  get sleeps(): number {
    return this.#sleeps;
  }

  /** Total time asleep, as the system reports it. */
  get asleepMs(): number {
    return this.#asleepMs;
  }

  /** Puts the machine to sleep: the monotonic clock and all timers stop, and the wall clock goes on. */
  sleepMachine(forMs: number): void {
    this.#sleeps += 1;
    this.#asleepMs += forMs;
    this.setClock(forMs);
  }

  /** Returns a function that cancels the event. */
  after(ms: number, owner: Owner, run: () => void): () => void {
    const event = {
      at: this.#now + Math.max(0, ms),
      order: this.#dice.next(),
      owner,
      run,
      isCancelled: false,
    };
    this.#push(event);
    return () => {
      event.isCancelled = true;
    };
  }

  /** Runs the next event and everything that follows from it immediately. False if no event is left. */
  async step(): Promise<boolean> {
    for (;;) {
      const event = this.#pop();
      if (!event) return false;
      if (event.isCancelled || event.owner.isDead) continue;
      this.#now = Math.max(this.#now, event.at);
      event.run();
      await new Promise((resolve) => setImmediate(resolve));
      return true;
    }
  }

  clockOf(owner: Owner): Clock {
    return {
      now: () => this.wall,
      monotonic: () => this.now,
      sleep: (ms, signal) =>
        new Promise((resolve, reject) => {
          if (signal?.aborted) {
            reject(signal.reason as Error);
            return;
          }
          const abort = (): void => {
            cancel();
            reject(signal?.reason as Error);
          };
          const cancel = this.after(ms, owner, () => {
            signal?.removeEventListener('abort', abort);
            resolve();
          });
          signal?.addEventListener('abort', abort, { once: true });
        }),
    };
  }

  #push(event: Event): void {
    const heap = this.#heap;
    let at = heap.push(event) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isSooner(event, heap[parent]!)) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = event;
  }

  #pop(): Event | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (heap.length === 0 || last === undefined) return first;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isSooner(heap[child + 1]!, heap[child]!)) child += 1;
      if (!isSooner(heap[child]!, last)) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = last;
    return first;
  }
}

function isSooner(a: Event, b: Event): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}

let current: { timeline: Timeline; owner: Owner } | null = null;

/**
 * Makes timers and clocks of this Node process follow the timeline set by `useTimeline`, since p-queue offers no other way. Timers belong
 * to the current model process, and end with it.
 */
export function installVirtualTime(): void {
  const realNow = Date.now;
  const realMonotonic = performance.now.bind(performance);
  const start = (run: () => void, ms: number, again: boolean) => {
    const used = current;
    if (!used) throw new Error('There is no timeline.');
    let cancel: () => void;
    const arm = (): void => {
      cancel = used.timeline.after(Math.max(1, ms), used.owner, () => {
        if (again) arm();
        run();
      });
    };
    arm();
    const timer = { cancel: () => cancel(), ref: () => timer, unref: () => timer, hasRef: () => true };
    return timer;
  };
  const stop = (timer: { cancel?: () => void } | undefined | null): void => timer?.cancel?.();
  Object.assign(globalThis, {
    setTimeout: (run: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) =>
      start(() => run(...args), ms, false),
    setInterval: (run: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) =>
      start(() => run(...args), ms, true),
    clearTimeout: stop,
    clearInterval: stop,
  });
  Date.now = () => current?.timeline.wall ?? realNow();
  performance.now = () => current?.timeline.now ?? realMonotonic();
}

export function useTimeline(timeline: Timeline | null, owner: Owner = WORLD): void {
  current = timeline && { timeline, owner };
}
