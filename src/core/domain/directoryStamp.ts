/** Exceeds the coarsest timestamp resolution of supported file systems, and the lag of a directory's timestamp. */
const MARGIN_MS = 2_000;

/**
 * Whether a directory's modification time (milliseconds) identifies a listing that starts at `listedAt`, by the same clock.
 * It must be older than one timestamp tick: a second change within the tick would not alter it.
 */
export function standsForListing(changedAt: number, listedAt: number): boolean {
  return changedAt <= listedAt - MARGIN_MS;
}
