import { ClockWatch, type Clocks } from '../../core/domain/clockWatch.ts';
import type { FileIdentity } from '../../core/domain/document.ts';
import type { FileSystem } from '../../core/ports/folder.ts';

/** File systems whose ctime comes from this machine's kernel: programs can't set it, and every change updates it. */
const OWN_TIME: ReadonlySet<string> = new Set(['ext4', 'xfs', 'btrfs', 'f2fs', 'tmpfs']);
/** Kernels stamp files with the time of their last tick: at most 10 ms ago on Linux, 15.6 ms on Windows. */
export const TICK_MS = 16;

/** Time after boot within which the clock gets set; a clock without a battery may be years behind until then. */
const CLOCK_IS_SET_WITHIN_MS = 5 * 60_000;

/** How long files were at rest before they were found. Only a single run counts that. Create it at the start of the run. */
export class PastRest {
  readonly #clock: Clocks;
  readonly #watch: ClockWatch;
  readonly #upForMs: number;
  #hasJumped = false;
  #isCounted = false;

  /** `upForMs`: how long ago the machine was started. */
  constructor(clock: Clocks, upForMs: number) {
    this.#clock = clock;
    this.#watch = new ClockWatch(clock);
    this.#upForMs = upForMs;
  }

  /** Counts the time from now on. */
  count(): void {
    this.#isCounted = true;
  }

  /**
   * Milliseconds for which a file has certainly not changed, from its ctime; 0 if unknown, or if past times can't be compared with
   * this clock. The mtime can't be used, since copying sets it; nor can a share's times, which come from another clock.
   */
  ms({ ctimeNs }: FileIdentity, on: Pick<FileSystem, 'name' | 'network'> | null): number {
    if (!this.#isCounted || on === null || !this.#isClockSet) return 0;
    if (on.network || !OWN_TIME.has(on.name)) return 0;
    return Math.max(0, this.#clock.now() - Number(ctimeNs / 1_000_000n) - TICK_MS);
  }

  get #isClockSet(): boolean {
    if (this.#watch.takeJump() !== 0) this.#hasJumped = true;
    return !this.#hasJumped && this.#upForMs >= CLOCK_IS_SET_WITHIN_MS;
  }
}
