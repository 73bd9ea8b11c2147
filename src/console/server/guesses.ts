import { isIPv6 } from 'node:net';
import type { Clock } from '../../core/ports/clock.ts';

const FREE = 3;
const LONGEST_MS = 60_000;
/** Shared budget of wrong guesses for all addresses: a burst, then one every three seconds. */
const OVERALL = 20;
const OVERALL_EVERY_MS = 3_000;
const MOST_ADDRESSES = 1_000;

interface Record {
  wrong: number;
  /** Monotonic. */
  notBefore: number;
}

/**
 * Rate limit for password guesses. From the fourth wrong guess an address waits one second, then two, four, up to a
 * minute, never longer, so that nobody can lock the admin out. All addresses share a budget, except those that signed
 * in before: an attack from elsewhere does not slow them down.
 */
export class Guesses {
  readonly #clock: Clock;
  readonly #addresses = new Map<string, Record>();
  readonly #known = new Set<string>();
  #budget = OVERALL;
  #refilledAt: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#refilledAt = clock.monotonic();
  }

  /** Takes a guess from the budget. @returns milliseconds to wait first; 0: go ahead, then report the outcome */
  take(address: string): number {
    const now = this.#clock.monotonic();
    const key = keyOf(address);
    const waitMs = (this.#addresses.get(key)?.notBefore ?? 0) - now;
    if (waitMs > 0) return waitMs;
    // Counted before the guess is checked; otherwise many concurrent ones would all get through.
    this.#record(key, now);
    if (this.#known.has(key)) return 0;
    this.#refill(now);
    this.#budget -= 1;
    if (this.#budget >= 0) return 0;
    this.undo(address);
    return OVERALL_EVERY_MS;
  }

  /** Returns the last guess to the budget: it was not checked. */
  undo(address: string): void {
    const key = keyOf(address);
    const record = this.#addresses.get(key);
    if (record) this.#addresses.set(key, { wrong: record.wrong - 1, notBefore: 0 });
    this.#giveBack(key);
  }

  right(address: string): void {
    const key = keyOf(address);
    this.#addresses.delete(key);
    this.#giveBack(key);
    this.#known.add(key);
    const [first = ''] = this.#known;
    if (this.#known.size > MOST_ADDRESSES) this.#known.delete(first);
  }

  #giveBack(key: string): void {
    if (!this.#known.has(key)) this.#budget = Math.min(OVERALL, this.#budget + 1);
  }

  #record(key: string, now: number): void {
    const wrong = (this.#addresses.get(key)?.wrong ?? 0) + 1;
    const pauseMs = wrong < FREE ? 0 : Math.min(LONGEST_MS, 1000 * 2 ** (wrong - FREE));
    this.#addresses.delete(key);
    this.#addresses.set(key, { wrong, notBefore: now + pauseMs });
    const [first = ''] = this.#addresses.keys();
    if (this.#addresses.size > MOST_ADDRESSES) this.#addresses.delete(first);
  }

  #refill(now: number): void {
    const more = Math.floor((now - this.#refilledAt) / OVERALL_EVERY_MS);
    this.#budget = Math.min(OVERALL, this.#budget + more);
    this.#refilledAt += more * OVERALL_EVERY_MS;
  }
}

/** Groups IPv6 addresses by /64: the owner of one has all 2^64. */
function keyOf(address: string): string {
  const four = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (four !== undefined || !isIPv6(address)) return four ?? address;
  const [head = '', tail] = address.split('%')[0]?.split('::') ?? [];
  const front = head === '' ? [] : head.split(':');
  const back = tail === undefined || tail === '' ? [] : tail.split(':');
  const whole =
    tail === undefined
      ? front
      : [...front, ...Array<string>(8 - front.length - back.length).fill('0'), ...back];
  return whole.slice(0, 4).join(':');
}
