import type { Clock } from './ports/clock.ts';
import { ClockWatch } from './domain/clockWatch.ts';

/** Abort reason, created only once: each abort without a reason creates an error with a stack trace. */
const SOONER = new Error('a sooner time was asked for');
/** Longest timer. Timers stop while the machine sleeps, so a wait that ended meanwhile is noticed at most this late. */
const LONGEST_SLEEP_MS = 60_000;

/**
 * Lets one loop sleep until another part has work for it. A notification that arrives between waits is kept, once. A wait may
 * also end without need, for example when the clock has jumped, so a loop has to check for work after every wait.
 */
export class Notifier {
  readonly #clock: Clock;
  readonly #heeded = new WeakSet<AbortSignal>();
  #isNotified = false;
  #resolve: (() => void) | null = null;
  #alarm: { readonly at: number; readonly cancel: AbortController } | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether `notify` was called since the last wait. */
  get isNotified(): boolean {
    return this.#isNotified;
  }

  notify(): void {
    this.#isNotified = true;
    this.#resolve?.();
  }

  /** Resolves when notified, after `ms` (null: never by itself), or when aborted. */
  async wait(ms: number | null, signal: AbortSignal): Promise<void> {
    this.#heed(signal);
    if (!this.#isNotified && !signal.aborted) {
      if (ms !== null) this.#setAlarm(ms);
      await new Promise<void>((resolve) => {
        this.#resolve = resolve;
      });
      this.#resolve = null;
    }
    this.#isNotified = false;
  }

  /** Reuses an alarm that is due sooner, which saves a timer for each of a thousand waits per second. */
  #setAlarm(ms: number): void {
    const at = this.#clock.monotonic() + ms;
    if (this.#alarm && this.#alarm.at <= at) return;
    this.#alarm?.cancel.abort(SOONER);
    const cancel = new AbortController();
    const alarm = { at, cancel };
    this.#alarm = alarm;
    this.#sleep(at, cancel.signal).then(
      () => {
        if (this.#alarm === alarm) this.#alarm = null;
        this.notify();
      },
      () => {},
    );
  }

  async #sleep(at: number, signal: AbortSignal): Promise<void> {
    const watch = new ClockWatch(this.#clock);
    for (let jumped = false; !jumped; jumped = watch.takeJump() !== 0) {
      const left = at - this.#clock.monotonic();
      await this.#clock.sleep(Math.min(left, LONGEST_SLEEP_MS), signal);
      if (left <= LONGEST_SLEEP_MS) return;
    }
  }

  #heed(signal: AbortSignal): void {
    if (this.#heeded.has(signal)) return;
    this.#heeded.add(signal);
    const end = () => {
      this.#alarm?.cancel.abort(SOONER);
      this.#alarm = null;
      this.notify();
    };
    signal.addEventListener('abort', end, { once: true });
  }
}
