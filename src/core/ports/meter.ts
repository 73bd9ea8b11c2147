import type { AttemptOutcome, EndpointKey, Verdict } from '../domain/document.ts';

/** Result of a request: the HTTP status as text, or `none` without an answer. */
export type RequestEnd = string;

/** Records metrics. Durations in seconds. Never throws, never blocks. */
export interface Meter {
  /** A verdict on a file, each time one is reached. */
  judged(folder: string, verdict: Verdict): void;
  /** An upload request was answered or given up. `bytes`: size of the image. */
  requested(endpoint: EndpointKey, end: RequestEnd, seconds: number, bytes: number): void;
  /** The outcome of a request was recorded. */
  ended(outcome: AttemptOutcome): void;
  /** Time from naming a document to its acceptance. */
  accepted(seconds: number): void;
  /** Time from requesting a ledger change until it was durable. */
  durable(seconds: number): void;
}
