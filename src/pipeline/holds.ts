import {
  backoff,
  HOLD_BACKOFF,
  SERVICE_BACKOFF,
  SLOW_DOWN_BACKOFF,
  type BackoffRange,
} from '../domain/backoff.ts';
import { endpointId, type Document, type EndpointKey } from '../domain/document.ts';
import { describeError } from '../domain/errors.ts';
import type { Clock, Random } from '../ports/clock.ts';
import type { Hold, HoldScope } from '../ports/hold.ts';
import type { Ledger } from '../ports/ledger.ts';
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
  /** Lifted, but the ledger still shows them. */
  readonly #leftShown = new Set<string>();

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
    if (closed.some((hold) => hold.probe !== null))
      return { kind: 'closed', waitMs: SERVICE_BACKOFF.maxMs, outage };
    return { kind: 'probe' };
  }

  /** Before the one request that a `probe` gate lets through. Its outcome must be told by `trouble` or `passed`. */
  startProbe({ id, endpoint }: Sent): void {
    for (const hold of this.#ofEndpoint(endpoint)) hold.probe = id;
  }

  /** A probe ended without an answer that says anything about the scope (its file was gone, ...). */
  endProbe({ id, endpoint }: Sent): void {
    for (const hold of this.#ofEndpoint(endpoint)) if (hold.probe === id) hold.probe = null;
  }

  async serviceTrouble(sent: Sent, why: Why, retryAfterMs: number | null): Promise<void> {
    await this.#close('service', sent.endpoint.baseUrl, sent, why, SERVICE_BACKOFF, retryAfterMs, true);
  }

  async slowDown(sent: Sent, why: Why, retryAfterMs: number | null): Promise<void> {
    await this.#authenticated(sent.endpoint);
    const key = endpointId(sent.endpoint);
    await this.#close('endpoint', key, sent, why, SLOW_DOWN_BACKOFF, retryAfterMs, true);
  }

  async holdEndpoint(sent: Sent, why: Why): Promise<void> {
    await this.#authenticated(sent.endpoint);
    await this.#close('endpoint', endpointId(sent.endpoint), sent, why, HOLD_BACKOFF, null, false);
  }

  async holdCredentials(sent: Sent, why: Why): Promise<void> {
    await this.#open('service', sent.endpoint.baseUrl);
    await this.#close('credentials', sent.endpoint.baseUrl, sent, why, HOLD_BACKOFF, null, false);
  }

  /** The endpoint answered as it should: nothing of it is held any more. */
  async passed(endpoint: EndpointKey): Promise<void> {
    for (const [scope, key] of scopesOf(endpoint)) await this.#open(scope, key);
  }

  /** A person says: try everything again now. */
  async clearAll(): Promise<void> {
    for (const hold of this.#closed.values()) await this.#open(hold.scope, hold.key);
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
    { id }: Sent,
    { reason, message }: Why,
    range: BackoffRange,
    retryAfterMs: number | null,
    short: boolean,
  ): Promise<void> {
    const before = this.#closed.get(keyOf(scope, key));
    const now = this.#clock.monotonic();
    // Requests that were in flight when the scope closed say nothing new, not even while another one probes it.
    if (before && (before.probe === null ? before.until > now : before.probe !== id)) return;
    const failures = (before?.failures ?? 0) + 1;
    const waitMs = Math.max(retryAfterMs ?? 0, backoff(failures, range, this.#random));
    const since = before?.since ?? this.#clock.now();
    this.#closed.set(keyOf(scope, key), {
      scope,
      key,
      failures,
      since,
      until: now + waitMs,
      probe: null,
      short,
    });
    const until = this.#clock.now() + waitMs;
    await this.#show(this.#ledger.putHold({ scope, key, reason, message, since, until }));
    const fields = { scope, key, reason, retryInMs: waitMs, detail: message };
    if (before && (short || !before.short)) this.#log.debug('Still on hold', fields);
    else if (short) this.#log.warn('On hold; it is tried again by itself', fields);
    else this.#log.error('On hold; a person has to look at it', fields);
  }

  async #open(scope: HoldScope, key: string): Promise<void> {
    const id = keyOf(scope, key);
    const before = this.#closed.get(id);
    if (!before && !this.#leftShown.has(id)) return;
    this.#closed.delete(id);
    this.#leftShown.delete(id);
    if (!(await this.#show(this.#ledger.clearHold(scope, key)))) this.#leftShown.add(id);
    if (!before) return;
    this.#log.info('No longer on hold', { scope, key, heldForMs: this.#clock.now() - before.since });
  }

  /** The row only tells people of the hold; without it the hold works all the same. */
  async #show(write: Promise<void>): Promise<boolean> {
    try {
      await write;
      return true;
    } catch (error) {
      this.#log.warn('A hold could not be recorded', describeError(error));
      return false;
    }
  }
}

/** The document whose request met with the trouble. */
export type Sent = Pick<Document, 'id' | 'endpoint'>;

export interface Why {
  readonly reason: string;
  readonly message: string;
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
  /** The document that is being sent to try it. */
  probe: number | null;
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
