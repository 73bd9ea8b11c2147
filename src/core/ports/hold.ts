export const HOLD_SCOPES = ['service', 'credentials', 'endpoint', 'folder'] as const;
export type HoldScope = (typeof HOLD_SCOPES)[number];

/** Why something waits that is more than one document. */
export interface Hold {
  readonly scope: HoldScope;
  /** endpointId for an endpoint, the absolute path for a folder, credentialsKey for credentials, the base URL of a service. */
  readonly key: string;
  /** 'PAUSED' when a person did it. */
  readonly reason: string;
  readonly message: string;
  readonly since: number;
  /** When it is tried again by itself; null: when a person says so. */
  readonly until: number | null;
  /** Until when the service asked to wait (Retry-After), which a restart keeps; null: it did not. */
  readonly demandedUntil: number | null;
  /** The other agent of the fleet that met with it, and for whom it holds as well; not there: this one, or a person. */
  readonly agent?: string | undefined;
  /** With `agent`: for how long yet it holds this agent too, by the clock of the ledger; not more than 0: others may try by now. */
  readonly leftMs?: number | undefined;
}
