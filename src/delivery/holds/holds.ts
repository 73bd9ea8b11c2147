import { accountOfKey, credentialsKey, DEFAULT_ACCOUNT, type AccountOf } from '../../core/domain/account.ts';
import {
  backoff,
  HOLD_BACKOFF,
  SERVICE_BACKOFF,
  SLOW_DOWN_BACKOFF,
  type BackoffRange,
} from '../../core/domain/backoff.ts';
import { endpointId, type Document, type EndpointKey } from '../../core/domain/document.ts';
import { describeError } from '../../core/domain/errors.ts';
import type { Clock, Random } from '../../core/ports/clock.ts';
import type { Hold, HoldScope } from '../../core/ports/hold.ts';
import type { Ledger } from '../../core/ports/ledger.ts';
import type { Log } from '../../core/ports/log.ts';
import { endsIn, holdKey, timeLeft, type HoldTimer } from './holdTimer.ts';
import { Pauses } from './pauses.ts';

/** Longest Retry-After that is honoured; more must be a mistake. */
const LONGEST_DEMAND_MS = 24 * 60 * 60_000;
const RECHECK_CREDENTIALS_MS = 20_000;
/** By then, the agent that found the trouble has tried again. */
const FIRST_TRY_MS = 2_000;
/** Two readings of the same time on the ledger's clock differ by no more. */
const SAME_MS = 100;

/**
 * Problems that block more than one document. Each scope (the service, the credentials of an account, an endpoint) is
 *
 *   open ──trouble──▶ closed until T ──T passes──▶ probing (one request) ──passed──▶ open
 *                          ▲                           │
 *                          └────── trouble, longer ────┘
 *
 * and, independently, may be paused by a person. A scope that is closed when the process ends is probed right after the next start,
 * unless the service said how long to wait. Folders and endpoints stay paused until someone resumes them. T is kept on both clocks,
 * because monotonic time may stand still while the machine sleeps and the wall clock may be set; if they disagree, the earlier time
 * counts, so that nothing waits longer than its back-off.
 */
export class Holds {
  readonly #ledger: Ledger;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #log: Log;
  readonly #accountOf: AccountOf;
  readonly #credentialsChanged: ((account: string | null) => Promise<boolean>) | null;
  readonly #closed = new Map<string, HoldTimer>();
  readonly #pauses: Pauses;
  /** Holds that have ended, but could not be cleared in the ledger. */
  readonly #leftShown = new Set<string>();
  /** Start of holds from an earlier run that are being retried: if that fails, it is the same trouble. */
  readonly #before = new Map<string, number>();
  #checking: Promise<boolean> | null = null;

  constructor(deps: {
    ledger: Ledger;
    clock: Clock;
    random: Random;
    log: Log;
    /** If left out, all endpoints use one account. */
    accountOf?: AccountOf;
    /** Whether an account's stored credentials differ from those last used. */
    credentialsChanged?: (account: string | null) => Promise<boolean>;
  }) {
    this.#ledger = deps.ledger;
    this.#clock = deps.clock;
    this.#pauses = new Pauses(deps.ledger, deps.clock);
    this.#random = deps.random;
    this.#log = deps.log;
    this.#accountOf = deps.accountOf ?? DEFAULT_ACCOUNT;
    this.#credentialsChanged = deps.credentialsChanged ?? null;
  }

  /**
   * Restores the pauses of earlier runs and the waits that the service asked for; other holds are retried at once. Resolves the
   * holds that stay.
   */
  async restore(): Promise<readonly Hold[]> {
    const kept: Hold[] = [];
    for (const hold of await this.#ledger.holds()) {
      if (hold.reason === 'PAUSED') this.#pauses.restore(hold);
      else if (hold.agent !== undefined) this.#heed(hold);
      else if (this.#closeAgain(hold)) {
        // The back-off of the earlier run may have been longer than the wait that the service asked for.
        const shown = { ...hold, until: hold.demandedUntil };
        if (shown.until !== hold.until) await this.#ledger.putHold(shown);
        kept.push(shown);
      } else {
        this.#before.set(holdKey(hold.scope, hold.key), hold.since);
        await this.#ledger.clearHold(hold.scope, hold.key);
      }
    }
    return kept;
  }

  /** Reads pauses, resumes, holds and ended holds from other agents of the fleet. Resolves whether anything changed. */
  async takeShared(): Promise<boolean> {
    const { changes } = this.#pauses;
    const shown = [...this.#closed.values()].filter(({ isShown }) => isShown);
    const holds = await this.#ledger.holds();
    // Holds apply even if the pauses changed meanwhile.
    const heeded = holds.filter((hold) => hold.agent !== undefined && this.#heed(hold));
    const ended = shown.filter((timer) => this.#isEnded(timer, holds));
    for (const { scope, key } of ended) this.#closed.delete(holdKey(scope, key));
    // Somebody paused or resumed here meanwhile, so the read may be out of date.
    if (this.#pauses.changes !== changes) return this.takeShared();
    const areOthers = this.#pauses.replace(holds.filter(({ reason }) => reason === 'PAUSED'));
    return areOthers || heeded.length > 0 || ended.length > 0;
  }

  /** The ledger no longer shows the hold. While a probe is in flight, its answer decides instead. */
  #isEnded(timer: HoldTimer, holds: readonly Hold[]): boolean {
    const { scope, key, isOfOther, probe } = timer;
    if (this.#closed.get(holdKey(scope, key)) !== timer || probe !== null) return false;
    return !holds.some(
      (hold) =>
        hold.scope === scope &&
        hold.key === key &&
        hold.reason !== 'PAUSED' &&
        (isOfOther || hold.agent === undefined),
    );
  }

  /** Restores a hold of an earlier run for the rest of the wait that the service asked for. False if it did not, or the wait is over. */
  #closeAgain({ scope, key, since, demandedUntil }: Hold): boolean {
    if (demandedUntil === null) return false;
    // A hold with more time left than it was to last results from a wrong clock.
    const waitMs = Math.min(demandedUntil - this.#clock.now(), demandedUntil - since, LONGEST_DEMAND_MS);
    if (waitMs <= 0) return false;
    const times = { since, demandedUntil, closedAt: this.#clock.monotonic(), ...endsIn(waitMs, this.#clock) };
    const state = { failures: 1, probe: null, checkedAt: 0, isOfOther: false, isShown: true };
    this.#closed.set(holdKey(scope, key), { scope, key, ...times, ...state, short: true, patient: true });
    return true;
  }

  /**
   * Closes a scope because another agent ran into trouble. That agent tries first; the others follow a little later, at random
   * times. False if the hold is over or already known here.
   */
  #heed({ scope, key, since, demandedUntil, leftMs = 0 }: Hold): boolean {
    const before = this.#closed.get(holdKey(scope, key));
    const patient = demandedUntil !== null || before?.patient === true;
    const leftHereMs = before ? timeLeft(before, this.#clock) : 0;
    const isKnown = leftHereMs >= leftMs - SAME_MS && (before?.patient ?? false) === patient;
    if (leftMs <= 0 || isKnown) return false;
    const waitMs = Math.min(leftMs, LONGEST_DEMAND_MS);
    const laterMs = Math.min(waitMs, FIRST_TRY_MS) * (0.5 + this.#random());
    const closed: HoldTimer = {
      scope,
      key,
      failures: before?.failures ?? 1,
      since: before?.since ?? since,
      closedAt: this.#clock.monotonic(),
      ...endsIn(Math.max(waitMs + laterMs, leftHereMs), this.#clock),
      probe: before?.probe ?? null,
      short: before?.short ?? true,
      patient,
      demandedUntil: before?.demandedUntil ?? null,
      isOfOther: before?.isOfOther ?? true,
      isShown: before?.isShown ?? true,
      checkedAt: before?.checkedAt ?? 0,
    };
    this.#closed.set(holdKey(scope, key), closed);
    return true;
  }

  gate(endpoint: EndpointKey): Gate {
    if (this.isPaused('endpoint', endpointId(endpoint))) return { kind: 'paused' };
    const closed = this.#ofEndpoint(endpoint);
    if (closed.length === 0) return { kind: 'open' };
    const waitMs = Math.max(...closed.map((hold) => timeLeft(hold, this.#clock)));
    const outage = closed.every((hold) => hold.short);
    const recheckMs = this.#recheckIn(closed);
    if (waitMs > 0) return { kind: 'closed', waitMs, outage, recheckMs };
    if (closed.some((hold) => hold.probe !== null))
      return { kind: 'closed', waitMs: SERVICE_BACKOFF.maxMs, outage, recheckMs: null };
    return { kind: 'probe' };
  }

  /** Checks for changed credentials and, if there are any, tries them at once. Resolves whether there are. */
  async recheckCredentials(): Promise<boolean> {
    this.#checking ??= this.#recheck().finally(() => {
      this.#checking = null;
    });
    return this.#checking;
  }

  async #recheck(): Promise<boolean> {
    const held = [...this.#closed.values()].filter(({ scope }) => scope === 'credentials');
    let isTried = false;
    for (const hold of held) {
      hold.checkedAt = this.#clock.monotonic();
      const account = accountOfKey(hold.key);
      if (!(await this.#credentialsChanged?.(account).catch(() => false))) continue;
      Object.assign(hold, endsIn(0, this.#clock), { failures: 0 });
      this.#log.info('The credentials have changed; trying them now', account === null ? {} : { account });
      isTried = true;
    }
    return isTried;
  }

  #recheckIn(closed: readonly HoldTimer[]): number | null {
    const held = this.#credentialsChanged && closed.find(({ scope }) => scope === 'credentials');
    if (!held) return null;
    return Math.max(0, held.checkedAt + RECHECK_CREDENTIALS_MS - this.#clock.monotonic());
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
    const more = { short: true, patient: true, recorded, isShared: true };
    const times = { range: SLOW_DOWN_BACKOFF, retryAfterMs, ...more };
    await Promise.all([
      this.#authenticated(sent),
      this.#close('endpoint', endpointId(sent.endpoint), sent, why, times),
    ]);
  }

  async holdEndpoint(sent: Sent, why: Why, recorded?: Promise<unknown>): Promise<void> {
    const times = { range: HOLD_BACKOFF, retryAfterMs: null, short: false, recorded, isShared: true };
    await Promise.all([
      this.#authenticated(sent),
      this.#close('endpoint', endpointId(sent.endpoint), sent, why, times),
    ]);
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
    if (this.#closed.size + this.#leftShown.size + this.#before.size === 0) return;
    for (const [scope, key] of this.#scopesOf(endpoint)) await this.#openFor(scope, key, id, answeredAt);
  }

  /**
   * After the machine slept: outages from before are retried soon, with a fresh back-off. Waits that the service asked for, and
   * holds that wait for a person, stay.
   */
  woke(): void {
    for (const hold of this.#closed.values()) {
      if (hold.scope !== 'service' || hold.patient || hold.probe !== null) continue;
      const waitMs = Math.min(SERVICE_BACKOFF.baseMs, Math.max(0, timeLeft(hold, this.#clock)));
      Object.assign(hold, endsIn(waitMs, this.#clock), { failures: 0 });
    }
  }

  /** Ends all holds, because a person asked to retry now. */
  async clearAll(): Promise<void> {
    for (const hold of this.#closed.values()) await this.#open(hold.scope, hold.key);
    await this.#ledger.fleet?.endHolds();
  }

  isPaused(scope: 'endpoint' | 'folder', key: string): boolean {
    return this.#pauses.has(scope, key);
  }

  pausedFolders(): string[] {
    return this.#pauses.folders();
  }

  pause(scope: 'endpoint' | 'folder', key: string, by: string): Promise<void> {
    return this.#pauses.pause(scope, key, by);
  }

  resume(scope: 'endpoint' | 'folder', key: string): Promise<void> {
    return this.#pauses.resume(scope, key);
  }

  /** An answer about the endpoint proves that the service is up and accepted the token. */
  async #authenticated({ id, endpoint }: Sent): Promise<void> {
    await Promise.all([
      this.#openFor('service', endpoint.baseUrl, id),
      this.#openFor('credentials', this.#credentialsOf(endpoint), id),
    ]);
  }

  async #openFor(scope: HoldScope, key: string, id: number | null, answeredAt = Infinity): Promise<void> {
    const hold = this.#closed.get(holdKey(scope, key));
    if (hold?.patient && id !== null && hold.probe !== id) return;
    if (hold && hold.closedAt > answeredAt) return;
    await this.#open(scope, key);
  }

  #ofEndpoint(endpoint: EndpointKey): HoldTimer[] {
    // Fast path, as this runs several times for each document.
    if (this.#closed.size === 0) return [];
    return this.#scopesOf(endpoint).flatMap(([scope, key]) => this.#closed.get(holdKey(scope, key)) ?? []);
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
    { reason, message }: Why,
    { range, retryAfterMs, short, patient = false, recorded, isShared = false }: Closing,
  ): Promise<void> {
    const before = this.#closed.get(holdKey(scope, key));
    const asked = Math.min(retryAfterMs ?? 0, LONGEST_DEMAND_MS);
    const isNew =
      !before || (before.probe === null ? timeLeft(before, this.#clock) <= 0 : before.probe === id);
    const failures = (before?.failures ?? 0) + (isNew ? 1 : 0);
    const leftMs = before && !isNew ? timeLeft(before, this.#clock) : 0;
    const demandedBefore = before && !isNew ? before.demandedUntil : null;
    const demandedUntil =
      asked > 0 ? Math.max(Math.ceil(this.#clock.now() + asked), demandedBefore ?? 0) : demandedBefore;
    // Requests that were in flight when the scope closed bring nothing new, even while another one probes it, except a longer wait.
    if (before && !isNew && asked <= leftMs && demandedUntil === demandedBefore) return;
    const waitMs = Math.max(asked, isNew ? backoff(failures, range, this.#random) : leftMs);
    const since = before?.since ?? this.#before.get(holdKey(scope, key)) ?? this.#clock.now();
    const ends = endsIn(waitMs, this.#clock);
    const closed: HoldTimer = {
      scope,
      key,
      failures,
      since,
      closedAt: this.#clock.monotonic(),
      ...ends,
      probe: isNew ? null : (before?.probe ?? null),
      short,
      patient: patient || demandedUntil !== null,
      demandedUntil,
      isOfOther: false,
      isShown: false,
      checkedAt: before?.checkedAt ?? this.#clock.monotonic(),
    };
    this.#closed.set(holdKey(scope, key), closed);
    const shown = { scope, key, reason, message, since, until: ends.wallUntil, demandedUntil };
    // A wait that the service asked for holds all agents. A back-off holds the others for half of it, after which they try for
    // themselves.
    const sharedMs = this.#ledger.fleet && isShared ? Math.max(asked, waitMs / 2) : undefined;
    // Written in one transaction with the answer, so that no other agent sends the refused document.
    const isTold = sharedMs !== undefined && (await this.#show(this.#ledger.putHold(shown, sharedMs)));
    await recorded;
    // The hold has ended or was extended meanwhile, and that change was already written.
    if (this.#closed.get(holdKey(scope, key)) !== closed) return;
    if (!isTold) await this.#show(this.#ledger.putHold(shown, sharedMs));
    closed.isShown = true;
    const fields = { scope, key, reason, retryInMs: waitMs, detail: message };
    if (before && (short || !before.short)) this.#log.debug('Still on hold', fields);
    else if (short) this.#log.warn('On hold; retrying automatically', fields);
    else this.#log.error('On hold until a person resolves it', fields);
  }

  async #open(scope: HoldScope, key: string): Promise<void> {
    const id = holdKey(scope, key);
    const before = this.#closed.get(id);
    this.#before.delete(id);
    if (!before && !this.#leftShown.has(id)) return;
    this.#closed.delete(id);
    this.#leftShown.delete(id);
    if (!(await this.#show(this.#ledger.clearHold(scope, key)))) this.#leftShown.add(id);
    if (!before) return;
    this.#log.info('No longer on hold', { scope, key, heldForMs: this.#clock.now() - before.since });
  }

  /** Writes what people see of the hold. The hold works even if this fails. */
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

interface Closing {
  readonly range: BackoffRange;
  /** The wait that the service asked for. */
  readonly retryAfterMs: number | null;
  readonly short: boolean;
  readonly patient?: boolean;
  /** The service's own answer, which would be the same for every agent. */
  readonly isShared?: boolean;
  readonly recorded: Promise<unknown> | undefined;
}

/** The document whose request ran into the trouble. */
export type Sent = Pick<Document, 'id' | 'endpoint'>;

export interface Why {
  readonly reason: string;
  readonly message: string;
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
