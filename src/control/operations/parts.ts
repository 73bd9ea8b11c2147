/* What all operations on many documents share: a caller gets an answer in parts, and asks again for what is left. */

/** An answer comes after this many milliseconds, whatever is left. */
export const PART_MS = 2_000;
/** Documents that the ledger lists in one go. */
export const LISTED_AT_ONCE = 5_000;
