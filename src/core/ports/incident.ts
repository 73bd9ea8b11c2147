import type { ErrorCode } from '../domain/errors.ts';

/** A problem that affects more than one file or document. */
export interface Incident {
  /** Identifies the cause: the code and, if there can be several, its subject. */
  readonly key: string;
  readonly code: ErrorCode;
  /** What is wrong and where, in one sentence. */
  readonly message: string;
  /** What a person should do, in one sentence. */
  readonly hint: string;
  /** Wall-clock milliseconds. */
  readonly since: number;
}

/** Open problems of the agent. One log line when an incident opens, one when it closes. */
export interface Incidents {
  /** Idempotent by key; a new message or hint under an open key replaces the old one without a log line. */
  open(incident: Omit<Incident, 'since'>): void;
  /** Idempotent. */
  close(key: string): void;
  list(): readonly Incident[];
}
