/* Shared by operations on many documents: they answer in parts, and the caller asks again for the rest. */

/** Time budget of one answer in milliseconds; the rest is left to the next request. */
export const PART_MS = 2_000;
/** Documents listed per query. */
export const LISTED_AT_ONCE = 5_000;
