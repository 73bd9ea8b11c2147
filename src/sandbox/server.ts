import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { resolve } from 'node:path';
import { Clients, type Client } from './clients.ts';
import { SandboxEndpoints } from './endpoints.ts';
import type { SandboxEndpoint } from './endpoints.ts';
import { FaultBook } from './faults.ts';
import type { FaultReport, FaultRule } from './faults.ts';
import { handle } from './handle.ts';
import type { Handling } from './handle.ts';
import { withDefaults } from './options.ts';
import type { SandboxOptions } from './options.ts';
import { PlanMeter } from './plan.ts';
import type { Plan } from './plan.ts';
import { ResultPoster } from './results.ts';
import type { ResultRequest } from './results.ts';
import { SandboxMeter } from './stats.ts';
import type { SandboxStats } from './stats.ts';
import { DocumentStore } from './store.ts';
import type { StoredDocument } from './store.ts';
import { Tokens } from './tokens.ts';

export type { EndpointSeed, SandboxEndpoint } from './endpoints.ts';
export { isFaultRule } from './faults.ts';
export type { FaultReport, FaultRule } from './faults.ts';
export type { RequestEvent, SandboxOptions } from './options.ts';
export type { Plan } from './plan.ts';
export type { ResultRequest, ResultsPlan } from './results.ts';
export type { UploadEnding, SandboxStats } from './stats.ts';
export type { StoredDocument } from './store.ts';

/** A running receipt analysis service. For control over HTTP, see routes/control.ts. */
export interface Sandbox {
  /** Base URL, without a trailing slash. */
  readonly url: string;
  readonly port: number;
  readonly dir: string;
  /** Appends fault rules. @throws ZodError */
  misbehave(...rules: FaultRule[]): void;
  /** Removes all fault rules, and sends delayed answers at once. Requests that are stalled stay stalled. */
  behave(): void;
  faults(): readonly FaultReport[];
  /** Everything stored, in order of the names' first arrival. */
  received(): StoredDocument[];
  endpoints(): readonly SandboxEndpoint[];
  stats(): SandboxStats;
  /** Monotonic milliseconds of the last 10,000 upload requests, of one endpoint or of all; oldest first. */
  arrivals(endpointUid?: string): number[];
  /** Applies to uploads that begin from now on. */
  setPlan(plan: Plan): void;
  /** Accepts these credentials from now on, and no others. */
  takeCredentials(...clients: Client[]): void;
  /** Invalidates all tokens issued so far: they get 401. */
  revokeTokens(): void;
  /** Posts a result now. Resolves the statuses of the answers, 0 for none; null without an outgoingUrl. */
  postResult(result: ResultRequest): Promise<number[] | null>;
  /** Cuts all connections, finishes pending writes, and frees the port. */
  close(): Promise<void>;
}

/**
 * Starts a receipt analysis service on this machine. Resolves when it accepts requests.
 *
 * @throws Error with `code` EADDRINUSE if the port is taken, and other system errors of `listen` and `dir`
 */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const settings = withDefaults(options);
  const dir = resolve(settings.dir);
  const active = new Set<Promise<void>>();
  // Take the port first: until it is ours, another sandbox may be using the same directory.
  const server = createServer((request, response) => void serve(request, response));
  await listen(server, settings.port, settings.host);
  const opening = open(settings, dir);

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const handling = await opening.catch(() => null);
    if (handling === null) return void response.destroy();
    const done = handle(handling, request, response).finally(() => active.delete(done));
    active.add(done);
  }

  async function stop(): Promise<void> {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    await closed;
    await Promise.all(active);
  }

  const handling = await opening.catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  const { service, faults, meter, controls } = handling;
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : settings.port;
  const host = settings.host.includes(':') ? `[${settings.host}]` : settings.host;
  let closing: Promise<void> | undefined;
  return {
    url: `http://${host}:${port}`,
    port,
    dir,
    misbehave: (...rules) => faults.add(rules),
    behave: () => faults.replace([]),
    faults: () => faults.report(),
    received: () => service.store.documents(),
    endpoints: () => service.endpoints.list(),
    stats: controls.stats,
    arrivals: (endpointUid) => meter.arrivals(endpointUid),
    setPlan: (plan) => {
      service.plan.plan = plan;
    },
    takeCredentials: (...clients) => service.clients.take(clients),
    revokeTokens: () => service.tokens.revokeAll(),
    postResult: (result) => service.poster.post(result),
    close: () =>
      (closing ??= service.poster
        .close()
        .then(stop)
        .then(() => service.store.close())),
  };
}

async function open(settings: Required<SandboxOptions>, dir: string): Promise<Handling> {
  const { clock } = settings;
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const endpoints = await SandboxEndpoints.load(dir);
  await endpoints.seed(settings.endpoints, clock.now());
  const store = await DocumentStore.open(dir);
  await store.deleteLeftovers();
  const faults = new FaultBook(settings.random);
  const meter = new SandboxMeter(clock);
  const poster = new ResultPoster(settings.results, endpoints, clock);
  const stats = (): SandboxStats => {
    const { documents, repeats, repeatsWithOtherBytes, accepted } = store.totals;
    return { stored: documents, repeats, repeatsWithOtherBytes, quotaUsed: accepted, ...meter.report() };
  };
  const tokens = new Tokens(clock, settings.tokenLifetimeSeconds);
  const clients = new Clients(tokens, settings.credentials, settings.owners);
  return {
    service: {
      ...settings,
      tokens,
      clients,
      endpoints,
      store,
      plan: new PlanMeter(settings.plan, store.totals.accepted),
      poster,
    },
    controls: { faults, store, stats, poster, clients },
    faults,
    meter,
    onRequest: settings.onRequest,
  };
}

function listen(server: Server, port: number, host: string): Promise<void> {
  // Longer than any pause between two scans in a test, so that the client decides about keep-alive.
  server.keepAliveTimeout = 60_000;
  // Otherwise Node would answer 408 during a long stall.
  server.requestTimeout = 0;
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}
