export const HOLD_SCOPES = ['service', 'credentials', 'endpoint', 'folder'] as const;
export type HoldScope = (typeof HOLD_SCOPES)[number];

/** What a person can pause. */
export const PAUSE_SCOPES = ['service', 'endpoint', 'folder'] as const satisfies readonly HoldScope[];
export type PauseScope = (typeof PAUSE_SCOPES)[number];

/** The reason of a person's pause. */
export const PAUSED = 'PAUSED';

/** Key of the service in a pause of everything, which outlasts a change of the service's address. */
export const EVERYTHING = '*';

/** Makes all documents of a scope wait, for a stated reason. */
export interface Hold {
  readonly scope: HoldScope;
  /** endpointId for an endpoint, the absolute path for a folder, credentialsKey for credentials, the base URL of a service, or EVERYTHING in a pause. */
  readonly key: string;
  /** 'PAUSED' when a person did it. */
  readonly reason: string;
  /** What the agent found, in its words; for a pause, who paused it. */
  readonly message: string;
  readonly since: number;
  /** When the agent retries, or a pause ends, by itself; null: a person has to end it. */
  readonly until: number | null;
  /** Until when the service asked to wait (Retry-After); survives a restart. Null: it did not ask. */
  readonly demandedUntil: number | null;
  /** The other agent of the fleet that ran into it, held as well; left out: this agent or a person. */
  readonly agent?: string | undefined;
  /** With `agent`: how much longer it holds this agent too, by the ledger's clock; at 0 or less, others may try. */
  readonly leftMs?: number | undefined;
}
