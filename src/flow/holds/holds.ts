import { credentialsKey, DEFAULT_ACCOUNT, type AccountOf } from '../../core/domain/account.ts';
import { HOLD_BACKOFF, SERVICE_BACKOFF, SLOW_DOWN_BACKOFF } from '../../core/domain/backoff.ts';
import { endpointId, type Document, type EndpointKey } from '../../core/domain/document.ts';
import { describeError } from '../../core/domain/errors.ts';
import type { Clock, Random } from '../../core/ports/clock.ts';
import type { Hold, HoldScope } from '../../core/domain/hold.ts';
import type { Ledger } from '../../core/ports/ledger.ts';
import type { Log } from '../../core/ports/log.ts';
import { CredentialsRecheck, type CredentialsRecheckDeps } from './credentialsRecheck.ts';
import { holdKey, HoldTimers, type HoldTimer, type HoldTrouble } from './holdTimers.ts';
import { Pauses } from './pauses.ts';
import { toMessage, whyText, type WhyFact } from '../../core/domain/why.ts';

export interface HoldsDeps extends CredentialsRecheckDeps {
  readonly ledger: Ledger;
  readonly random: Random;
  /** If left out, all endpoints use one account. */
  readonly accountOf?: AccountOf;
}

/**
 * Problems that block more than one document. Each scope (the service, the credentials of an account, an endpoint) is
 *
 *   open ──trouble──▶ closed until T ──T passes──▶ probing (one request) ──passed──▶ open
 *                          ▲                           │
 *                          └────── trouble, longer ────┘
 *
 * and, independently, may be paused by a person. A scope that is closed when the process ends is probed right after the next start,
 * unless the service said how long to wait. Folders and endpoints stay paused until someone resumes them.
 */
export class Holds {
  readonly #ledger: Ledger;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #accountOf: AccountOf;
  readonly #timers: HoldTimers;
  readonly pauses: Pauses;
  readonly credentials: CredentialsRecheck;
  /** Holds that have ended, but could not be cleared in the ledger. */
  readonly #leftShown = new Set<string>();

  constructor(deps: HoldsDeps) {
    this.#ledger = deps.ledger;
    this.#clock = deps.clock;
    this.#log = deps.log;
    this.#accountOf = deps.accountOf ?? DEFAULT_ACCOUNT;
    this.#timers = new HoldTimers(deps.clock, deps.random);
    this.pauses = new Pauses(deps.ledger, deps.clock);
    this.credentials = new CredentialsRecheck(deps, this.#timers);
  }

  /**
   * Restores the pauses of earlier runs and the waits that the service asked for; other holds are retried at once. Resolves the
   * holds that stay.
   */
  async restore(): Promise<readonly Hold[]> {
    const kept: Hold[] = [];
    for (const hold of await this.#ledger.holds()) {
      if (hold.reason === 'PAUSED') this.pauses.restore(hold);
      else if (hold.agent !== undefined) this.#timers.heed(hold);
      else if (this.#timers.closeAgain(hold)) {
        // The back-off of the earlier run may have been longer than the wait that the service asked for.
        const shown = { ...hold, until: hold.demandedUntil };
        if (shown.until !== hold.until) await this.#ledger.putHold(shown);
        kept.push(shown);
      } else await this.#ledger.clearHold(hold.scope, hold.key);
    }
    return kept;
  }

  /** Reads pauses, resumes, holds and ended holds from other agents of the fleet. Resolves whether anything changed. */
  async takeShared(): Promise<boolean> {
    const { changes } = this.pauses;
    const shown = this.#timers.all().filter(({ isShown }) => isShown);
    const holds = await this.#ledger.holds();
    // Holds apply even if the pauses changed meanwhile.
    const heeded = holds.filter((hold) => hold.agent !== undefined && this.#timers.heed(hold));
    const ended = this.#timers.takeEnded(shown, holds);
    // Somebody paused or resumed here meanwhile, so the read may be out of date.
    if (this.pauses.changes !== changes) return this.takeShared();
    const areOthers = this.pauses.replace(holds.filter(({ reason }) => reason === 'PAUSED'));
    return areOthers || heeded.length > 0 || ended.length > 0;
  }

  gate(endpoint: EndpointKey): Gate {
    if (this.pauses.has('endpoint', endpointId(endpoint))) return { kind: 'paused' };
    const closed = this.#ofEndpoint(endpoint);
    if (closed.length === 0) return { kind: 'open' };
    const waitMs = Math.max(...closed.map((hold) => this.#timers.leftMs(hold)));
    const outage = closed.every((hold) => hold.short);
    const recheckMs = this.credentials.dueInMs(closed);
    if (waitMs > 0) return { kind: 'closed', waitMs, outage, recheckMs };
    if (closed.some((hold) => hold.probe !== null))
      return { kind: 'closed', waitMs: SERVICE_BACKOFF.maxMs, outage, recheckMs: null };
    return { kind: 'probe' };
  }

  /** Call before the one request that a `probe` gate lets through. Report its outcome as trouble, or by `passed` or `endProbe`. */
  startProbe({ id, endpoint }: Sent): void {
    for (const hold of this.#ofEndpoint(endpoint)) hold.probe = id;
  }

  /** Whether this document probes every closed scope of its endpoint. A scope that closed after it started needs its own probe. */
  isProbedBy({ id, endpoint }: Sent): boolean {
    return this.#ofEndpoint(endpoint).every(({ probe }) => probe === id);
  }

  /** Ends a probe whose request told nothing about the scope, such as one whose file was gone. */
  endProbe({ id, endpoint }: Sent): void {
    for (const hold of this.#ofEndpoint(endpoint)) if (hold.probe === id) hold.probe = null;
  }

  /*
   * By the time each of these returns its promise, the scope is closed, however slow the ledger is. `recorded` resolves once the
   * answer behind the hold is in the ledger; the hold is shown only after that, so that both appear even if the ledger could not be
   * written for a while.
   */

  async serviceTrouble(
    sent: Sent,
    why: Why,
    retryAfterMs: number | null,
    recorded?: Promise<unknown>,
    wasAnswered = false,
  ): Promise<void> {
    const times = { range: SERVICE_BACKOFF, retryAfterMs, short: true, recorded, isShared: wasAnswered };
    await this.#close('service', sent.endpoint.baseUrl, sent, why, times);
  }

  async slowDown(
    sent: Sent,
    why: Why,
    retryAfterMs: number | null,
    recorded?: Promise<unknown>,
  ): Promise<void> {
    const times = { range: SLOW_DOWN_BACKOFF, retryAfterMs, short: true, patient: true, recorded };
    await this.#closeEndpoint(sent, why, times);
  }

  async holdEndpoint(sent: Sent, why: Why, recorded?: Promise<unknown>): Promise<void> {
    await this.#closeEndpoint(sent, why, { range: HOLD_BACKOFF, retryAfterMs: null, short: false, recorded });
  }

  async holdCredentials(sent: Sent, why: Why, recorded?: Promise<unknown>): Promise<void> {
    const times = { range: HOLD_BACKOFF, retryAfterMs: null, short: false, recorded };
    await Promise.all([
      this.#openFor('service', sent.endpoint.baseUrl, sent.id),
      this.#close('credentials', this.#credentialsOf(sent.endpoint), sent, why, times),
    ]);
  }

  /**
   * The endpoint works: ends its holds. Given the document's id, a hold that the service asked for stays until its own probe
   * passes, since requests in flight before it may still succeed. Scopes closed after `answeredAt` (monotonic) stay closed, because
   * recording an answer may take long.
   */
  async passed(endpoint: EndpointKey, id: number | null = null, answeredAt = Infinity): Promise<void> {
    if (this.#timers.isEmpty && this.#leftShown.size === 0) return;
    for (const [scope, key] of this.#scopesOf(endpoint)) await this.#openFor(scope, key, id, answeredAt);
  }

  /**
   * After the machine slept: outages from before are retried soon, with a fresh back-off. Waits that the service asked for, and
   * holds that wait for a person, stay.
   */
  woke(): void {
    for (const hold of this.#timers.all()) {
      if (hold.scope !== 'service' || hold.patient || hold.probe !== null) continue;
      const waitMs = Math.min(SERVICE_BACKOFF.baseMs, Math.max(0, this.#timers.leftMs(hold)));
      this.#timers.retryIn(hold, waitMs);
    }
  }

  /** Ends all holds, because a person asked to retry now. */
  async clearAll(): Promise<void> {
    for (const hold of this.#timers.all()) await this.#open(hold.scope, hold.key);
    await this.#ledger.fleet?.endHolds();
  }

  async #closeEndpoint(sent: Sent, why: Why, closing: Closing): Promise<void> {
    const { id, endpoint } = sent;
    await Promise.all([
      // An answer about the endpoint proves that the service is up and accepted the token.
      this.#openFor('service', endpoint.baseUrl, id),
      this.#openFor('credentials', this.#credentialsOf(endpoint), id),
      this.#close('endpoint', endpointId(endpoint), sent, why, { ...closing, isShared: true }),
    ]);
  }

  async #openFor(scope: HoldScope, key: string, id: number | null, answeredAt = Infinity): Promise<void> {
    const hold = this.#timers.get(scope, key);
    if (hold?.patient && id !== null && hold.probe !== id) return;
    if (hold && hold.closedAt > answeredAt) return;
    await this.#open(scope, key);
  }

  #ofEndpoint(endpoint: EndpointKey): HoldTimer[] {
    // Fast path, as this runs several times for each document.
    if (this.#timers.size === 0) return [];
    return this.#scopesOf(endpoint).flatMap(([scope, key]) => this.#timers.get(scope, key) ?? []);
  }

  #scopesOf(endpoint: EndpointKey): [HoldScope, string][] {
    return [
      ['service', endpoint.baseUrl],
      ['credentials', this.#credentialsOf(endpoint)],
      ['endpoint', endpointId(endpoint)],
    ];
  }

  #credentialsOf(endpoint: EndpointKey): string {
    return credentialsKey(endpoint.baseUrl, this.#accountOf(endpoint));
  }

  async #close(
    scope: HoldScope,
    key: string,
    { id }: Sent,
    { reason, why }: Why,
    { recorded, isShared = false, ...trouble }: Closing,
  ): Promise<void> {
    const closed = this.#timers.close(scope, key, id, trouble);
    if (closed === null) return;
    const { timer, before, waitMs, askedMs } = closed;
    const { since, wallUntil: until, demandedUntil, short } = timer;
    const message = toMessage(why);
    const shown = { scope, key, reason, message, since, until, demandedUntil };
    // A wait that the service asked for holds all agents. A back-off holds the others for half of it, after which they try for
    // themselves.
    const sharedMs = this.#ledger.fleet && isShared ? Math.max(askedMs, waitMs / 2) : undefined;
    // Written in one transaction with the answer, so that no other agent sends the refused document.
    const isTold = sharedMs !== undefined && (await this.#show(this.#ledger.putHold(shown, sharedMs)));
    await recorded;
    // The hold has ended or was extended meanwhile, and that change was already written.
    if (!this.#timers.isCurrent(timer)) return;
    if (!isTold) await this.#show(this.#ledger.putHold(shown, sharedMs));
    timer.isShown = true;
    const fields = { scope, key, reason, retryInMs: waitMs, detail: whyText(why) };
    if (before && (short || !before.short)) this.#log.debug('stillOnHold', fields);
    else if (short) this.#log.warn('onHoldForNow', fields);
    else this.#log.error('onHoldForPerson', fields);
  }

  async #open(scope: HoldScope, key: string): Promise<void> {
    const id = holdKey(scope, key);
    const before = this.#timers.open(scope, key);
    if (!this.#leftShown.delete(id) && !before) return;
    if (!(await this.#show(this.#ledger.clearHold(scope, key)))) this.#leftShown.add(id);
    if (!before) return;
    this.#log.info('holdEnded', { scope, key, heldForMs: this.#clock.now() - before.since });
  }

  /** Writes what people see of the hold. The hold works even if this fails. */
  async #show(write: Promise<void>): Promise<boolean> {
    try {
      await write;
      return true;
    } catch (error) {
      this.#log.warn('holdNotRecorded', describeError(error));
      return false;
    }
  }
}

interface Closing extends HoldTrouble {
  /** The service's own answer, which would be the same for every agent. */
  readonly isShared?: boolean;
  readonly recorded: Promise<unknown> | undefined;
}

/** The document whose request ran into the trouble. */
export type Sent = Pick<Document, 'id' | 'endpoint'>;

export interface Why {
  readonly reason: string;
  readonly why: WhyFact;
}

export type Gate =
  | { readonly kind: 'open' | 'probe' | 'paused' }
  /** `outage`: expected to resolve itself within seconds or minutes. */
  | {
      readonly kind: 'closed';
      readonly waitMs: number;
      readonly outage: boolean;
      /** Milliseconds until the credentials are checked for a change; null if they are not the cause. */
      readonly recheckMs: number | null;
    };
