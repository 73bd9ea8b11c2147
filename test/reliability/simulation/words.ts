/** A worker's, at each seed with a breach. */
export const FAILED = 'failed';
/** To each worker, when these are as many as were asked for. */
export const ENOUGH = 'enough';
