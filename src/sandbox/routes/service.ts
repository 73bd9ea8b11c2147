import type { SandboxOptions } from '../options.ts';
import type { SandboxClock } from '../clock.ts';
import type { Clients } from '../clients.ts';
import type { SandboxEndpoints } from '../endpoints.ts';
import type { PlanMeter } from '../plan.ts';
import type { ResultPoster } from '../results.ts';
import type { DocumentStore } from '../store.ts';
import type { Tokens } from '../tokens.ts';

/** Shared by all routes. */
export interface Service extends Pick<
  Required<SandboxOptions>,
  'tokenLifetimeSeconds' | 'onRepeat' | 'maxBodyBytes' | 'createStatus' | 'quotaStatus'
> {
  readonly clock: SandboxClock;
  readonly clients: Clients;
  readonly tokens: Tokens;
  readonly endpoints: SandboxEndpoints;
  readonly store: DocumentStore;
  readonly plan: PlanMeter;
  readonly poster: ResultPoster;
}
