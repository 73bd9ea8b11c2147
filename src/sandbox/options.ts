import { systemClock } from './clock.ts';
import type { SandboxClock } from './clock.ts';
import type { EndpointSeed } from './endpoints.ts';
import type { Plan } from './plan.ts';
import type { ResultsPlan } from './results.ts';
import type { UploadEnding } from './stats.ts';
import type { SandboxRoute } from './target.ts';

/** A finished request. Never contains a token or a secret. */
export interface RequestEvent {
  readonly method: string;
  readonly route: SandboxRoute;
  readonly path: string;
  readonly ending: UploadEnding;
  /** Milliseconds. */
  readonly tookMs: number;
  /** Document name of an upload; null for other requests. */
  readonly name: string | null;
  /** Kind of the fault rule that was applied. */
  readonly fault: string | null;
}

export interface SandboxOptions {
  /** Default 0: a free port. */
  readonly port?: number;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Where received documents are stored. Created if missing; content of an earlier run is served again. */
  readonly dir: string;
  /** Default `sandbox` and `sandbox-secret`. */
  readonly credentials?: { readonly clientId: string; readonly clientSecret: string };
  /** Endpoint uid → the only client that may upload to it. Default: all clients may. */
  readonly owners?: Readonly<Record<string, string>>;
  /** Default 86400 (interface 2.3). */
  readonly tokenLifetimeSeconds?: number;
  /** Default enabled, without a quota. */
  readonly plan?: Plan;
  readonly endpoints?: readonly EndpointSeed[];
  /** Answer to an upload under a name that the endpoint already has: the first one's record again (default), or 409. */
  readonly onRepeat?: 'accept' | 'conflict';
  /** Longer uploads get 413. Default: 100 MB. */
  readonly maxBodyBytes?: number;
  /** Status of the answer to a created endpoint, which the interface does not show. Default: 201. */
  readonly createStatus?: number;
  /** Status of the answer when the quota is used up, which the interface does not show. Default: 429. */
  readonly quotaStatus?: number;
  /** What is posted to `outgoingUrl`. Default null: nothing. */
  readonly results?: ResultsPlan | null;
  readonly onRequest?: (event: RequestEvent) => void;
  readonly clock?: SandboxClock;
  /** Returns numbers in [0, 1), for rules with a probability. */
  readonly random?: () => number;
}

export function withDefaults(options: SandboxOptions): Required<SandboxOptions> {
  return {
    port: 0,
    host: '127.0.0.1',
    credentials: { clientId: 'sandbox', clientSecret: 'sandbox-secret' },
    owners: {},
    tokenLifetimeSeconds: 86_400,
    plan: { enabled: true, quota: null },
    endpoints: [],
    onRepeat: 'accept',
    maxBodyBytes: 100_000_000,
    createStatus: 201,
    quotaStatus: 429,
    results: null,
    onRequest: () => undefined,
    clock: systemClock,
    random: Math.random,
    ...options,
  };
}
