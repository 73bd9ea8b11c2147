/** Sent by a worker for each seed with a breach. */
export const FAILED = 'failed';
/** Sent to each worker once enough seeds have failed. */
export const ENOUGH = 'enough';
