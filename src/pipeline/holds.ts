import {
  backoff,
  HOLD_BACKOFF,
  SERVICE_BACKOFF,
  SLOW_DOWN_BACKOFF,
  type BackoffRange,
} from '../domain/backoff.ts';
import { endpointId, type EndpointKey } from '../domain/document.ts';
import type { Clock, Random } from '../ports/clock.ts';
import type { Hold, HoldScope, Ledger } from '../ports/ledger.ts';
import type { Log } from '../ports/log.ts';

/**
 * What keeps more than one document waiting. Each scope (the service, the credentials, an endpoint) is
 *
 *   open ──trouble──▶ closed until T ──T passes──▶ probing (one request) ──passed──▶ open
 *                          ▲                           │
 *                          └────── trouble, longer ────┘
 *
 * and, apart from that, paused by a person or not. What is closed when the process ends is probed at once at the
 * next start. Folders and endpoints stay paused until someone resumes them.
 */
export class Holds {
  readonly #ledger: Ledger;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #log: Log;
  readonly #closed = new Map<string, Closed>();
  readonly #paused = new Map<string, Hold>();

  constructor(deps: { ledger: Ledger; clock: Clock; random: Random; log: Log }) {
    this.#ledger = deps.ledger;
    this.#clock = deps.clock;
    this.#random = deps.random;
    this.#log = deps.log;
  }

  /** Takes over the pauses of earlier runs; every other hold of theirs is tried anew. */
  async restore(): Promise<void> {
    for (const hold of await this.#ledger.holds()) {
      if (hold.reason === 'PAUSED') this.#paused.set(keyOf(hold.scope, hold.key), hold);
      else await this.#ledger.clearHold(hold.scope, hold.key);
    }
  }

  gate(endpoint: EndpointKey): Gate {
    if (this.isPaused('endpoint', endpointId(endpoint))) return { kind: 'paused' };
    const now = this.#clock.monotonic();
    const closed = scopesOf(endpoint).flatMap(([scope, key]) => this.#closed.get(keyOf(scope, key)) ?? []);
    if (closed.length === 0) return { kind: 'open' };
    const waitMs = Math.max(...closed.map((hold) => hold.until - now));
    const outage = closed.every((hold) => hold.short);
    if (waitMs > 0) return { kind: 'closed', waitMs, outage };
    if (closed.some((hold) => hold.probing)) return { kind: 'closed', waitMs: SERVICE_BACKOFF.maxMs, outage };
    return { kind: 'probe' };
  }

  /** Before the one request that a `probe` gate lets through. Its outcome must be told by `trouble` or `passed`. */
  startProbe(endpoint: EndpointKey): void {
    for (const hold of this.#ofEndpoint(endpoint)) hold.probing = true;
  }

  /** A probe ended without an answer that says anything about the scope (its file was gone, ...). */
  endProbe(endpoint: EndpointKey): void {
    for (const hold of this.#ofEndpoint(endpoint)) hold.probing = false;
  }

  serviceTrouble(
    endpoint: EndpointKey,
    reason: string,
    message: string,
    retryAfterMs: number | null,
  ): Promise<void> {
    return this.#close('service', endpoint.baseUrl, reason, message, SERVICE_BACKOFF, retryAfterMs, true);
  }

  async slowDown(
    endpoint: EndpointKey,
    reason: string,
    message: string,
    retryAfterMs: number | null,
  ): Promise<void> {
    await this.#authenticated(endpoint);
    await this.#close(
      'endpoint',
      endpointId(endpoint),
      reason,
      message,
      SLOW_DOWN_BACKOFF,
      retryAfterMs,
      true,
    );
  }

  async holdEndpoint(endpoint: EndpointKey, reason: string, message: string): Promise<void> {
    await this.#authenticated(endpoint);
    await this.#close('endpoint', endpointId(endpoint), reason, message, HOLD_BACKOFF, null, false);
  }

  async holdCredentials(endpoint: EndpointKey, reason: string, message: string): Promise<void> {
    await this.#open('service', endpoint.baseUrl);
    await this.#close('credentials', endpoint.baseUrl, reason, message, HOLD_BACKOFF, null, false);
  }

  /** The endpoint answered as it should: nothing of it is held any more. */
  async passed(endpoint: EndpointKey): Promise<void> {
    for (const [scope, key] of scopesOf(endpoint)) await this.#open(scope, key);
  }

  /** A person says: try everything again now. */
  async clearAll(): Promise<void> {
    for (const hold of [...this.#closed.values()]) await this.#open(hold.scope, hold.key);
  }

  isPaused(scope: 'endpoint' | 'folder', key: string): boolean {
    return this.#paused.has(keyOf(scope, key));
  }

  pausedFolders(): string[] {
    return [...this.#paused.values()].filter((hold) => hold.scope === 'folder').map((hold) => hold.key);
  }

  async pause(scope: 'endpoint' | 'folder', key: string, by: string): Promise<void> {
    const message = `Paused by ${by}; \`receiptd resume\` lets it go on.`;
    const hold: Hold = { scope, key, reason: 'PAUSED', message, since: this.#clock.now(), until: null };
    await this.#ledger.putHold(hold);
    this.#paused.set(keyOf(scope, key), hold);
  }

  async resume(scope: 'endpoint' | 'folder', key: string): Promise<void> {
    await this.#ledger.clearHold(scope, key, 'PAUSED');
    this.#paused.delete(keyOf(scope, key));
  }

  /** An answer about the endpoint says that the service is there and took the token. */
  async #authenticated(endpoint: EndpointKey): Promise<void> {
    await this.#open('service', endpoint.baseUrl);
    await this.#open('credentials', endpoint.baseUrl);
  }

  #ofEndpoint(endpoint: EndpointKey): Closed[] {
    return scopesOf(endpoint).flatMap(([scope, key]) => this.#closed.get(keyOf(scope, key)) ?? []);
  }

  async #close(
    scope: HoldScope,
    key: string,
    reason: string,
    message: string,
    range: BackoffRange,
    retryAfterMs: number | null,
    short: boolean,
  ): Promise<void> {
    const before = this.#closed.get(keyOf(scope, key));
    const now = this.#clock.monotonic();
    // Requests that were in flight when the scope closed say nothing new.
    if (before && !before.probing && before.until > now) return;
    const failures = (before?.failures ?? 0) + 1;
    const waitMs = Math.max(retryAfterMs ?? 0, backoff(failures, range, this.#random));
    const since = before?.since ?? this.#clock.now();
    this.#closed.set(keyOf(scope, key), {
      scope,
      key,
      failures,
      since,
      until: now + waitMs,
      probing: false,
      short,
    });
    const until = this.#clock.now() + waitMs;
    await this.#ledger.putHold({ scope, key, reason, message, since, until });
    const fields = { scope, key, reason, retryInMs: waitMs, detail: message };
    if (before) this.#log.debug('Still on hold', fields);
    else if (short) this.#log.warn('On hold; it is tried again by itself', fields);
    else this.#log.error('On hold; a person has to look at it', fields);
  }

  async #open(scope: HoldScope, key: string): Promise<void> {
    const before = this.#closed.get(keyOf(scope, key));
    if (!before) return;
    this.#closed.delete(keyOf(scope, key));
    await this.#ledger.clearHold(scope, key);
    this.#log.info('No longer on hold', { scope, key, heldForMs: this.#clock.now() - before.since });
  }
}

export type Gate =
  | { readonly kind: 'open' | 'probe' | 'paused' }
  /** `outage`: expected to pass by itself within seconds or minutes. */
  | { readonly kind: 'closed'; readonly waitMs: number; readonly outage: boolean };

interface Closed {
  readonly scope: HoldScope;
  readonly key: string;
  readonly failures: number;
  readonly since: number;
  /** Monotonic. */
  readonly until: number;
  probing: boolean;
  readonly short: boolean;
}

function scopesOf(endpoint: EndpointKey): [HoldScope, string][] {
  return [
    ['service', endpoint.baseUrl],
    ['credentials', endpoint.baseUrl],
    ['endpoint', endpointId(endpoint)],
  ];
}

function keyOf(scope: HoldScope, key: string): string {
  return `${scope} ${key}`;
}
