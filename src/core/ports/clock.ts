/** Source of time, passed as an argument so that the pipeline can be simulated. */
export interface Clock {
  /** Wall clock in milliseconds since 1970; may jump. For deadlines that must outlive the process. */
  now(): number;
  /** Monotonic milliseconds. For durations. */
  monotonic(): number;
  /** Resolves after `ms`; rejects with the signal's reason when aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** A number in [0, 1). */
export type Random = () => number;
