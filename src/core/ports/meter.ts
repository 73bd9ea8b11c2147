import type { AttemptOutcome, EndpointKey, Verdict } from '../domain/document.ts';

/** What a request came to: the HTTP status as text, or `none` where no answer came. */
export type RequestEnd = string;

/** Counts what happens, for whoever measures. Durations in seconds. Never throws, and never blocks. */
export interface Meter {
  /** What happened to a file, each time that is decided. */
  judged(folder: string, verdict: Verdict): void;
  /** One upload request was answered, or given up. `bytes`: of the image. */
  requested(endpoint: EndpointKey, end: RequestEnd, seconds: number, bytes: number): void;
  /** The outcome of a request was recorded. */
  ended(outcome: AttemptOutcome): void;
  /** A document was accepted so long after it was named. */
  accepted(seconds: number): void;
  /** A change of the ledger was durable so long after it was asked for. */
  durable(seconds: number): void;
}
