import type { ErrorCode } from '../domain/errors.ts';

/** Trouble that is more than one file or document, from when it began until it ended. */
export interface Incident {
  /** One for each cause: the code and, where there may be several, what it is about. */
  readonly key: string;
  readonly code: ErrorCode;
  /** What is wrong and where, in one sentence. */
  readonly message: string;
  /** What a person should do, in one sentence. */
  readonly hint: string;
  /** Wall-clock milliseconds. */
  readonly since: number;
}

/** What stands between the agent and its work. One log line when an incident opens, one when it closes. */
export interface Incidents {
  /** Idempotent by key; a new message or hint under an open key replaces the old one in silence. */
  open(incident: Omit<Incident, 'since'>): void;
  /** Idempotent. */
  close(key: string): void;
  list(): readonly Incident[];
}
