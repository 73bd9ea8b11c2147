import { accountOfKey, credentialsKey, DEFAULT_ACCOUNT, type AccountOf } from '../core/domain/account.ts';
import {
  backoff,
  HOLD_BACKOFF,
  SERVICE_BACKOFF,
  SLOW_DOWN_BACKOFF,
  type BackoffRange,
} from '../core/domain/backoff.ts';
import { endpointId, type Document, type EndpointKey } from '../core/domain/document.ts';
import { describeError } from '../core/domain/errors.ts';
import { EVERYTHING, PAUSED, type Hold, type HoldScope, type PauseScope } from '../core/domain/hold.ts';
import { toMessage, whyText, type WhyFact } from '../core/domain/why.ts';
import type { Clock, Random } from '../core/ports/clock.ts';
import type { Ledger } from '../core/ports/ledger.ts';
import type { Log } from '../core/ports/log.ts';

export interface HoldsDeps {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** If left out, all endpoints use one account. */
  readonly accountOf?: AccountOf;
  /** Whether an account's stored credentials differ from those last used. */
  readonly credentialsChanged?: (account: string | null) => Promise<boolean>;
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

/** How long trouble closes a scope. */
interface Trouble {
  readonly range: BackoffRange;
  /** Resolves itself; otherwise a person has to. */
  readonly isShort: boolean;
  /** The service asked to slow down: only the scope's own probe opens it. */
  readonly isPatient?: boolean;
  /** The wait that the service asked for. */
  readonly retryAfterMs?: number | null;
  /** The service's own answer, which would be the same for every agent. */
  readonly isShared?: boolean;
  /** Resolves once the answer is in the ledger. */
  readonly recorded: Promise<unknown> | undefined;
}

/** A closed scope. It is replaced when it is closed for longer. */
interface Row extends Pick<Hold, 'scope' | 'key' | 'since' | 'demandedUntil'> {
  readonly failures: number;
  readonly isShort: boolean;
  readonly isPatient: boolean;
  /** Found by another agent of the fleet, and not by this one since. */
  readonly isOfOther: boolean;
  /** When the latest trouble occurred; monotonic. */
  closedAt: number;
  /** When it is tried again, on both clocks, since either may jump; monotonic and wall clock. */
  until: number;
  wallUntil: number;
  /** Id of the document being sent as a probe; null if none is. */
  probe: number | null;
  /** The ledger shows it. Once it no longer does, another agent has ended it, possibly on a person's request. */
  isShown: boolean;
  /** When the credentials were last checked for a change; monotonic. */
  checkedAt: number;
}

/** Credentials are checked for a change at first often, because a person may just be replacing them. */
const RECHECK_MS = { first: 1_000, most: 20_000 };
/** Clocks that differ by less are just being adjusted. */
const CLOCKS_PART_MS = 1_000;
/** A pause ends this late at most if the clock was set or the machine slept. */
const PAUSE_LOOK_MS = 60_000;
const PAUSE_RETRY_MS = 1_000;
/** Longest Retry-After that is honoured; more must be a mistake. */
const LONGEST_DEMAND_MS = 24 * 60 * 60_000;
/** By then, the agent that found the trouble has tried again. */
const FIRST_TRY_MS = 2_000;
/** Two readings of the same time on the ledger's clock differ by no more. */
const SAME_MS = 100;
/** What is assumed of trouble that an earlier run or another agent ran into. */
const NOT_OURS = { failures: 1, probe: null, isShort: true, isShown: true, checkedAt: 0 };

/**
 * Problems that block more than one document. Each scope (the service, the credentials of an account, an endpoint) is
 *
 *   open ──trouble──▶ closed until T ──T passes──▶ probing (one request) ──passed──▶ open
 *                          ▲                           │
 *                          └────── trouble, longer ────┘
 *
 * and, independently, the service, an endpoint or a folder may be paused by a person, until a time or until it is resumed. T is kept on both clocks, because
 * monotonic time may stand still while the machine sleeps and the wall clock may be set; the earlier one counts, so that nothing waits
 * longer than its back-off. A scope that is closed when the process ends is probed right after the next start, unless the service said
 * how long to wait.
 */
export class Holds {
  readonly #deps: HoldsDeps;
  /** Of each scope that is closed. */
  readonly #rows = new Map<string, Row>();
  /** Start of holds of an earlier run that are being retried: if that fails, it is the same trouble. */
  readonly #before = new Map<string, number>();
  /** Holds that have ended, but could not be cleared in the ledger. */
  readonly #leftShown = new Set<string>();
  readonly #paused = new Map<string, Hold>();
  /** Pauses and resumes made here. */
  #changes = 0;
  #rechecking: Promise<boolean> | null = null;

  constructor(deps: HoldsDeps) {
    this.#deps = deps;
  }

  /* ---- What holds an endpoint ---- */

  gate(endpoint: EndpointKey): Gate {
    if (this.isPaused('service', EVERYTHING) || this.isPaused('endpoint', endpointId(endpoint)))
      return { kind: 'paused' };
    const closed = this.#closed(endpoint);
    if (closed.length === 0) return { kind: 'open' };
    const waitMs = Math.max(...closed.map((row) => this.#leftMs(row)));
    const outage = closed.every(({ isShort }) => isShort);
    if (waitMs > 0) return { kind: 'closed', waitMs, outage, recheckMs: this.#recheckInMs(closed) };
    if (closed.some(({ probe }) => probe !== null))
      return { kind: 'closed', waitMs: SERVICE_BACKOFF.maxMs, outage, recheckMs: null };
    return { kind: 'probe' };
  }

  /** Call before the one request that a `probe` gate lets through. Report its outcome as trouble, or by `passed` or `endProbe`. */
  startProbe({ id, endpoint }: Sent): void {
    for (const row of this.#closed(endpoint)) row.probe = id;
  }

  /** Whether this document probes every closed scope of its endpoint. A scope that closed after it started needs its own probe. */
  isProbedBy({ id, endpoint }: Sent): boolean {
    return this.#closed(endpoint).every(({ probe }) => probe === id);
  }

  /** Ends a probe whose request told nothing about the scope, such as one whose file was gone. */
  endProbe({ id, endpoint }: Sent): void {
    for (const row of this.#closed(endpoint)) if (row.probe === id) row.probe = null;
  }

  /* ---- Trouble ---- */

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
    isShared = false,
  ): Promise<void> {
    const trouble = { range: SERVICE_BACKOFF, isShort: true, retryAfterMs, isShared, recorded };
    await this.#close('service', sent, why, trouble);
  }

  async slowDown(
    sent: Sent,
    why: Why,
    retryAfterMs: number | null,
    recorded?: Promise<unknown>,
  ): Promise<void> {
    const slow = { range: SLOW_DOWN_BACKOFF, isShort: true, isPatient: true };
    await this.#closeEndpoint(sent, why, { ...slow, retryAfterMs, recorded });
  }

  async holdEndpoint(sent: Sent, why: Why, recorded?: Promise<unknown>): Promise<void> {
    await this.#closeEndpoint(sent, why, { range: HOLD_BACKOFF, isShort: false, recorded });
  }

  /** How long the endpoint is held at most, in milliseconds, if its next probe fails. */
  longestOnEndpointMs(endpoint: EndpointKey): number {
    const held = this.#rows.get(rowKey('endpoint', this.#keyOf('endpoint', endpoint)));
    return backoff((held?.failures ?? 0) + 1, HOLD_BACKOFF, () => 1);
  }

  async holdCredentials(sent: Sent, why: Why, recorded?: Promise<unknown>): Promise<void> {
    await Promise.all([
      this.#openFor('service', sent.endpoint, sent.id),
      this.#close('credentials', sent, why, { range: HOLD_BACKOFF, isShort: false, recorded }),
    ]);
  }

  async #closeEndpoint(sent: Sent, why: Why, trouble: Trouble): Promise<void> {
    const { id, endpoint } = sent;
    await Promise.all([
      // An answer about the endpoint proves that the service is up and accepted the token.
      this.#openFor('service', endpoint, id),
      this.#openFor('credentials', endpoint, id),
      this.#close('endpoint', sent, why, { ...trouble, isShared: true }),
    ]);
  }

  async #close(
    scope: HoldScope,
    { id, endpoint }: Sent,
    { reason, why }: Why,
    { range, isShort, isPatient = false, retryAfterMs, isShared = false, recorded }: Trouble,
  ): Promise<void> {
    const { clock, random, log, ledger } = this.#deps;
    const key = this.#keyOf(scope, endpoint);
    const before = this.#rows.get(rowKey(scope, key));
    const askedMs = Math.min(retryAfterMs ?? 0, LONGEST_DEMAND_MS);
    const isNew = !before || (before.probe === null ? this.#leftMs(before) <= 0 : before.probe === id);
    /** The hold that goes on. */
    const current = isNew ? undefined : before;
    const leftMs = current ? this.#leftMs(current) : 0;
    const demandedBefore = current?.demandedUntil ?? null;
    const demandedUntil =
      askedMs > 0 ? Math.max(Math.ceil(clock.now() + askedMs), demandedBefore ?? 0) : demandedBefore;
    // Requests that were in flight when the scope closed bring nothing new, even while another one probes it, except a longer wait.
    if (current && askedMs <= leftMs && demandedUntil === demandedBefore) {
      // But a success from before this trouble no longer shows that the scope works.
      current.closedAt = clock.monotonic();
      return;
    }
    const failures = (before?.failures ?? 0) + (isNew ? 1 : 0);
    const waitMs = Math.max(askedMs, isNew ? backoff(failures, range, random) : leftMs);
    const row = this.#put({
      scope,
      key,
      failures,
      since: before?.since ?? this.#before.get(rowKey(scope, key)) ?? clock.now(),
      ...this.#endingIn(waitMs),
      probe: current?.probe ?? null,
      isShort,
      isPatient: isPatient || demandedUntil !== null,
      demandedUntil,
      isOfOther: false,
      isShown: false,
      checkedAt: before?.checkedAt ?? clock.monotonic(),
    });
    const { since, wallUntil: until } = row;
    const shown = { scope, key, reason, message: toMessage(why), since, until, demandedUntil };
    // A wait that the service asked for holds all agents. A back-off holds the others for half of it, after which they try for
    // themselves.
    const sharedMs = ledger.fleet && isShared ? Math.max(askedMs, waitMs / 2) : undefined;
    // Written in one transaction with the answer, so that no other agent sends the refused document.
    const isTold = sharedMs !== undefined && (await this.#show(ledger.putHold(shown, sharedMs)));
    await recorded;
    // The hold has ended or was extended meanwhile, and that change was already written.
    if (this.#rows.get(rowKey(scope, key)) !== row) return;
    if (!isTold) await this.#show(ledger.putHold(shown, sharedMs));
    row.isShown = true;
    const fields = { scope, key, reason, retryInMs: waitMs, detail: whyText(why) };
    if (before && (isShort || !before.isShort)) log.debug('stillOnHold', fields);
    else if (isShort) log.warn('onHoldForNow', fields);
    else log.error('onHoldForPerson', fields);
  }

  /* ---- Its end ---- */

  /**
   * The endpoint works: ends its holds. Given the document's id, a hold that the service asked for stays until its own probe
   * passes, since requests in flight before it may still succeed. Scopes closed after `answeredAt` (monotonic) stay closed, because
   * recording an answer may take long.
   */
  async passed(endpoint: EndpointKey, id: number | null = null, answeredAt = Infinity): Promise<void> {
    if (this.#rows.size + this.#before.size + this.#leftShown.size === 0) return;
    for (const scope of SCOPES) await this.#openFor(scope, endpoint, id, answeredAt);
  }

  /**
   * After the machine slept: outages from before are retried soon, with a fresh back-off. Waits that the service asked for, and
   * holds that wait for a person, stay.
   */
  woke(): void {
    for (const row of this.#rows.values())
      if (row.scope === 'service' && !row.isPatient && row.probe === null)
        this.#retryIn(row, Math.min(SERVICE_BACKOFF.baseMs, Math.max(0, this.#leftMs(row))));
  }

  /** Ends all holds, because a person asked to retry now. */
  async clearAll(): Promise<void> {
    for (const { scope, key } of this.#rows.values()) await this.#open(scope, key);
    await this.#deps.ledger.fleet?.endHolds();
  }

  /** While credentials are on hold: whether somebody replaced them. If so, they are tried at once. */
  async recheckCredentials(): Promise<boolean> {
    this.#rechecking ??= this.#recheck().finally(() => {
      this.#rechecking = null;
    });
    return this.#rechecking;
  }

  async #recheck(): Promise<boolean> {
    const { clock, log, credentialsChanged } = this.#deps;
    let isTried = false;
    for (const row of this.#rows.values()) {
      if (row.scope !== 'credentials') continue;
      row.checkedAt = clock.monotonic();
      const account = accountOfKey(row.key);
      if (!(await credentialsChanged?.(account).catch(() => false))) continue;
      this.#retryIn(row, 0);
      log.info('credentialsChanged', account === null ? {} : { account });
      isTried = true;
    }
    return isTried;
  }

  #recheckInMs(closed: readonly Row[]): number | null {
    const { clock, credentialsChanged } = this.#deps;
    const row = credentialsChanged && closed.find(({ scope }) => scope === 'credentials');
    if (!row) return null;
    const { checkedAt, closedAt } = row;
    const pauseMs = Math.min(RECHECK_MS.most, Math.max(RECHECK_MS.first, checkedAt - closedAt));
    return Math.max(0, checkedAt + pauseMs - clock.monotonic());
  }

  async #openFor(
    scope: HoldScope,
    endpoint: EndpointKey,
    id: number | null,
    answeredAt = Infinity,
  ): Promise<void> {
    const key = this.#keyOf(scope, endpoint);
    const row = this.#rows.get(rowKey(scope, key));
    if (row?.isPatient && id !== null && row.probe !== id) return;
    if (row && row.closedAt > answeredAt) return;
    await this.#open(scope, key);
  }

  async #open(scope: HoldScope, key: string): Promise<void> {
    const { clock, log, ledger } = this.#deps;
    const id = rowKey(scope, key);
    const row = this.#rows.get(id);
    this.#before.delete(id);
    this.#rows.delete(id);
    if (!this.#leftShown.delete(id) && !row) return;
    if (!(await this.#show(ledger.clearHold(scope, key)))) this.#leftShown.add(id);
    if (row) log.info('holdEnded', { scope, key, heldForMs: clock.now() - row.since });
  }

  /* ---- Earlier runs, and other agents ---- */

  /**
   * Restores the pauses of earlier runs and the waits that the service asked for; other holds are retried at once. Resolves the
   * holds that stay.
   */
  async restore(): Promise<readonly Hold[]> {
    const { ledger } = this.#deps;
    const kept: Hold[] = [];
    for (const hold of await ledger.holds()) {
      if (hold.reason === PAUSED) this.#paused.set(rowKey(hold.scope, hold.key), hold);
      else if (hold.agent !== undefined) this.#heed(hold);
      else if (this.#closeAgain(hold)) {
        // The back-off of the earlier run may have been longer than the wait that the service asked for.
        const shown = { ...hold, until: hold.demandedUntil };
        if (shown.until !== hold.until) await ledger.putHold(shown);
        kept.push(shown);
      } else await ledger.clearHold(hold.scope, hold.key);
    }
    return kept;
  }

  /** Reads pauses, resumes, holds and ended holds from other agents of the fleet. Resolves whether anything changed. */
  async takeShared(): Promise<boolean> {
    const changes = this.#changes;
    const shown = [...this.#rows.values()].filter(({ isShown }) => isShown);
    const holds = await this.#deps.ledger.holds();
    // Holds apply even if the pauses changed meanwhile.
    const heeded = holds.filter((hold) => hold.agent !== undefined && this.#heed(hold));
    const ended = shown.filter((row) => this.#isEnded(row, holds));
    for (const { scope, key } of ended) this.#rows.delete(rowKey(scope, key));
    // Somebody paused or resumed here meanwhile, so the read may be out of date.
    if (this.#changes !== changes) return this.takeShared();
    const pauses = holds.filter(({ reason }) => reason === PAUSED);
    const areSame =
      pauses.length === this.#paused.size &&
      pauses.every(({ scope, key, until }) => this.#paused.get(rowKey(scope, key))?.until === until);
    this.#paused.clear();
    for (const hold of pauses) this.#paused.set(rowKey(hold.scope, hold.key), hold);
    return !areSame || heeded.length > 0 || ended.length > 0;
  }

  /** Whether the ledger no longer shows it. While a probe is in flight, its answer decides instead. */
  #isEnded(row: Row, holds: readonly Hold[]): boolean {
    const { scope, key, isOfOther, probe } = row;
    if (this.#rows.get(rowKey(scope, key)) !== row || probe !== null) return false;
    return !holds.some(
      (hold) =>
        hold.scope === scope &&
        hold.key === key &&
        hold.reason !== PAUSED &&
        (isOfOther || hold.agent === undefined),
    );
  }

  /**
   * Closes the scope of a hold from an earlier run for the rest of the wait that the service asked for. False if it did not, or the
   * wait is over: the scope is tried again at once.
   */
  #closeAgain({ scope, key, since, demandedUntil }: Hold): boolean {
    const now = this.#deps.clock.now();
    // A hold with more time left than it was to last results from a wrong clock.
    const waitMs =
      demandedUntil === null ? 0 : Math.min(demandedUntil - now, demandedUntil - since, LONGEST_DEMAND_MS);
    const own = { scope, key, since, demandedUntil, isPatient: true, isOfOther: false };
    if (waitMs > 0) this.#put({ ...NOT_OURS, ...own, ...this.#endingIn(waitMs) });
    else this.#before.set(rowKey(scope, key), since);
    return waitMs > 0;
  }

  /**
   * Closes a scope because another agent ran into trouble. That agent tries first; the others follow a little later, at random
   * times. False if the hold is over or already known here.
   */
  #heed({ scope, key, since, demandedUntil, leftMs = 0 }: Hold): boolean {
    const before = this.#rows.get(rowKey(scope, key));
    const isPatient = demandedUntil !== null || before?.isPatient === true;
    const leftHereMs = before ? this.#leftMs(before) : 0;
    const isKnown = leftHereMs >= leftMs - SAME_MS && (before?.isPatient ?? false) === isPatient;
    if (leftMs <= 0 || isKnown) return false;
    const waitMs = Math.min(leftMs, LONGEST_DEMAND_MS);
    const laterMs = Math.min(waitMs, FIRST_TRY_MS) * (0.5 + this.#deps.random());
    const known = before ?? { ...NOT_OURS, scope, key, since, demandedUntil: null, isOfOther: true };
    this.#put({ ...known, ...this.#endingIn(Math.max(waitMs + laterMs, leftHereMs)), isPatient });
    return true;
  }

  /* ---- Pauses ---- */

  isPaused(scope: PauseScope, key: string): boolean {
    return this.#paused.size > 0 && this.#paused.has(rowKey(scope, key));
  }

  pausedFolders(): string[] {
    return [...this.#paused.values()].flatMap(({ scope, key }) => (scope === 'folder' ? key : []));
  }

  /** Milliseconds until it is to be asked whether a pause has ended by itself; null if none will. */
  get pauseEndsInMs(): number | null {
    const ends = [...this.#paused.values()].flatMap(({ until }) => until ?? []);
    if (ends.length === 0) return null;
    const leftMs = Math.min(...ends) - this.#deps.clock.now();
    // It is over, but could not be ended.
    if (leftMs <= 0) return PAUSE_RETRY_MS;
    return Math.min(leftMs, PAUSE_LOOK_MS);
  }

  /** Ends the pauses whose time is over. Resolves whether there were any. */
  async endPauses(): Promise<boolean> {
    if (this.#paused.size === 0) return false;
    const now = this.#deps.clock.now();
    const over = [...this.#paused.values()].filter(({ until }) => until !== null && until <= now);
    for (const { scope, key } of over) {
      await this.resume(scope, key);
      this.#deps.log.info('pauseEnded', { scope, key });
    }
    return over.length > 0;
  }

  /** @param until when it ends by itself, in wall-clock milliseconds; null: when a person says so */
  async pause(scope: PauseScope, key: string, by: string, until: number | null = null): Promise<void> {
    const since = this.#deps.clock.now();
    const hold: Hold = { scope, key, reason: PAUSED, message: by, since, until, demandedUntil: null };
    await this.#deps.ledger.putHold(hold);
    this.#changes += 1;
    this.#paused.set(rowKey(scope, key), hold);
  }

  async resume(scope: HoldScope, key: string): Promise<void> {
    await this.#deps.ledger.clearHold(scope, key, PAUSED);
    this.#changes += 1;
    this.#paused.delete(rowKey(scope, key));
  }

  /* ---- Rows ---- */

  #closed(endpoint: EndpointKey): Row[] {
    // Fast path, as this runs several times for each document.
    if (this.#rows.size === 0) return [];
    return SCOPES.flatMap((scope) => this.#rows.get(rowKey(scope, this.#keyOf(scope, endpoint))) ?? []);
  }

  #keyOf(scope: HoldScope, endpoint: EndpointKey): string {
    if (scope === 'service') return endpoint.baseUrl;
    if (scope === 'endpoint') return endpointId(endpoint);
    return credentialsKey(endpoint.baseUrl, (this.#deps.accountOf ?? DEFAULT_ACCOUNT)(endpoint));
  }

  #put(row: Row): Row {
    this.#rows.set(rowKey(row.scope, row.key), row);
    return row;
  }

  #endingIn(waitMs: number): Pick<Row, 'closedAt' | 'until' | 'wallUntil'> {
    const { clock } = this.#deps;
    const closedAt = clock.monotonic();
    return { closedAt, until: closedAt + waitMs, wallUntil: clock.now() + waitMs };
  }

  /** Tries the scope again in `waitMs`, with a fresh back-off. */
  #retryIn(row: Row, waitMs: number): void {
    const { until, wallUntil } = this.#endingIn(waitMs);
    Object.assign(row, { until, wallUntil, failures: 0 });
  }

  /** Milliseconds until the next try; negative if overdue. */
  #leftMs({ until, wallUntil }: Row): number {
    const { clock } = this.#deps;
    const left = until - clock.monotonic();
    const leftByWall = wallUntil - clock.now();
    return left - leftByWall > CLOCKS_PART_MS ? leftByWall : left;
  }

  /** Writes what people see of the hold. The hold works even if this fails. */
  async #show(write: Promise<void>): Promise<boolean> {
    try {
      await write;
      return true;
    } catch (error) {
      this.#deps.log.warn('holdNotRecorded', describeError(error));
      return false;
    }
  }
}

/** Those that hold an endpoint. */
const SCOPES = ['service', 'credentials', 'endpoint'] as const;

/** At most one hold of each kind (paused or not) is in force per key. */
function rowKey(scope: HoldScope, key: string): string {
  return `${scope} ${key}`;
}
