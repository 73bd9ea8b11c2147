import type { Condition } from '../domain/problem.ts';

/** A problem that affects more than one file or document. */
export type Incident = OpenedIncident & {
  /** Wall-clock milliseconds. */
  readonly since: number;
};

export type OpenedIncident = Condition & {
  /** Identifies the cause: the code and, if there can be several, its subject. */
  readonly key: string;
};

/** Open problems of the agent. One log line when an incident opens, one when it closes. */
export interface Incidents {
  /** Idempotent by key; new parameters under an open key replace the old ones without a log line. */
  open(incident: OpenedIncident): void;
  /** Idempotent. */
  close(key: string): void;
  list(): readonly Incident[];
}
