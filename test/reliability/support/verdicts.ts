/** Statuses that are the service's verdict on a document (interface section 7), listed separately from `src` for the oracles. */
export const VERDICTS: ReadonlySet<number> = new Set([400, 413, 415, 422]);
