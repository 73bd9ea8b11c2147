import { systemClock } from './clock.ts';
import type { SandboxClock } from './clock.ts';
import type { EndpointSeed } from './endpoints.ts';
import type { Plan } from './plan.ts';
import type { ResultsPlan } from './results.ts';
import type { Ending } from './stats.ts';
import type { Route } from './target.ts';

/** One request that is over. It never carries a token or a secret. */
export interface RequestEvent {
  readonly method: string;
  readonly route: Route;
  readonly path: string;
  readonly ending: Ending;
  /** Milliseconds. */
  readonly tookMs: number;
  /** Of an upload. */
  readonly name: string | null;
  /** The kind of the fault rule that met it. */
  readonly fault: string | null;
}

export interface SandboxOptions {
  /** 0, the default, takes a free one. */
  readonly port?: number;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Where it keeps what it receives. Created; what an earlier run left there is served again. */
  readonly dir: string;
  /** Default `sandbox` and `sandbox-secret`. */
  readonly credentials?: { readonly clientId: string; readonly clientSecret: string };
  /** Endpoint uid → the only client that may upload to it; by default all may. */
  readonly owners?: Readonly<Record<string, string>>;
  /** Default 86400 (interface 2.3). */
  readonly tokenLifetimeSeconds?: number;
  /** Default enabled, without a quota. */
  readonly plan?: Plan;
  readonly endpoints?: readonly EndpointSeed[];
  /** An upload under a name that the endpoint holds: the first one's record again (default), or 409. */
  readonly onRepeat?: 'accept' | 'conflict';
  /** A longer upload is answered with 413. Default 100 MB. */
  readonly maxBodyBytes?: number;
  /** The answer to a created endpoint; not shown by the interface. Default 201. */
  readonly createStatus?: number;
  /** The answer when the quota is used up; not shown by the interface. Default 429. */
  readonly quotaStatus?: number;
  /** What is posted to `outgoingUrl`; default null, nothing. */
  readonly results?: ResultsPlan | null;
  readonly onRequest?: (event: RequestEvent) => void;
  readonly clock?: SandboxClock;
  /** In [0, 1); decides rules with a probability. */
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
