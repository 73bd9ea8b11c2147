import { ClockWatch, type Clocks } from '../../core/domain/clockWatch.ts';
import type { FileIdentity } from '../../core/domain/document.ts';
import type { FileSystem } from '../../core/ports/folder.ts';

/** File systems whose ctime comes from this machine's kernel: programs can't set it, and every change updates it. */
const OWN_TIME: ReadonlySet<string> = new Set(['ext4', 'xfs', 'btrfs', 'f2fs', 'tmpfs']);
/** Kernels stamp files with the time of their last tick: at most 10 ms ago on Linux, 15.6 ms on Windows. */
export const TICK_MS = 16;

/** Time after boot within which the clock gets set; a clock without a battery may be years behind until then. */
const CLOCK_IS_SET_WITHIN_MS = 5 * 60_000;

/** Tells whether past times can be compared with this clock. Create it at the start of a run. */
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
 * Milliseconds for which a file has certainly not changed, from its ctime; 0 if unknown. Spares a single run the quiet time
 * for old files. The mtime can't be used, since copying sets it; nor can a share's times, which come from another clock.
 */
export function restedMs(
  { ctimeNs }: FileIdentity,
  { name, network }: Pick<FileSystem, 'name' | 'network'>,
  now: number,
): number {
  if (network || !OWN_TIME.has(name)) return 0;
  return Math.max(0, now - Number(ctimeNs / 1_000_000n) - TICK_MS);
}
