import { ClockWatch, type Clocks } from '../../core/domain/clockWatch.ts';
import type { FileIdentity } from '../../core/domain/document.ts';
import type { FileSystem } from '../../core/ports/folder.ts';

/** Whose ctime is the time of this machine's kernel: no program can set it, and it moves with every change. */
const OWN_TIME: ReadonlySet<string> = new Set(['ext4', 'xfs', 'btrfs', 'f2fs', 'tmpfs']);
/** Kernels stamp files with the time of their last tick: at most 10 ms ago on Linux, 15.6 on Windows. */
export const TICK_MS = 16;

/** Within this time of a start clocks are set: one without a battery stands years back until then. */
const CLOCK_IS_SET_WITHIN_MS = 5 * 60_000;

/** Whether what this clock says of the past may be believed. Made at the beginning of a run. */
export class ClockTrust {
  readonly #watch: ClockWatch;
  readonly #upForMs: number;
  #hasJumped = false;

  /** `upForMs`: how long ago the machine was started. */
  constructor(clock: Clocks, upForMs: number) {
    this.#watch = new ClockWatch(clock);
    this.#upForMs = upForMs;
  }

  get isGiven(): boolean {
    if (this.#watch.takeJump() !== 0) this.#hasJumped = true;
    return !this.#hasJumped && this.#upForMs >= CLOCK_IS_SET_WITHIN_MS;
  }
}

/**
 * Milliseconds for which a file has surely been still, from its ctime: a run that ends by itself need not watch for the
 * quiet time what has lain there since yesterday. The mtime would not do, since copies set it; nor would a share's times, which
 * are those of another clock. 0 where that can't be told.
 */
export function restedMs(
  { ctimeNs }: FileIdentity,
  { name, network }: Pick<FileSystem, 'name' | 'network'>,
  now: number,
): number {
  if (network || !OWN_TIME.has(name)) return 0;
  return Math.max(0, now - Number(ctimeNs / 1_000_000n) - TICK_MS);
}
