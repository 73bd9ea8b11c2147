/** Answers that are the service's verdict on a document (interface section 7), as the oracles know them; never taken from `src`. */
export const VERDICTS: ReadonlySet<number> = new Set([400, 413, 415, 422]);
