/** More than the coarsest tick of a file system whose stamps count, and than the time a directory's own may lag behind. */
const MARGIN_MS = 2_000;

/**
 * Whether what the system says of a directory (its last change, in milliseconds) stands for a listing that begins at
 * `listedAt` of the same clock. Another change within the same tick would leave it as it is: it must be older than that.
 */
export function standsForListing(changedAt: number, listedAt: number): boolean {
  return changedAt <= listedAt - MARGIN_MS;
}
