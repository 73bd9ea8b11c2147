import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { describeError, isOfLedger, isTakenOver, ReceiptdError } from '../../core/domain/errors.ts';
import { toMessage } from '../../core/domain/why.ts';
import type { BeginAnswer, Done, MoveAnswer } from '../../core/messages.ts';
import type { Clock, Random } from '../../core/ports/clock.ts';
import type { FleetSignal } from '../../core/ports/fleet.ts';
import type { LedgerStorage, StorageTrouble } from '../../core/ports/ledger.ts';
import type { Log } from '../../core/ports/log.ts';
import { CHAIN, folderIdOf } from '../entries.ts';
import { NO_HASH, type JournalLine } from '../journal/line.ts';
import { LedgerCore, type Step } from '../ledger.ts';
import {
  chainLines,
  headOf,
  linesBehind,
  lineText,
  movedLine,
  SET_HEAD,
  type ChainHead,
  type ChainRow,
} from '../postgres/chain.ts';
import {
  BY_INDEX,
  Connector,
  type Connection,
  type Target,
  refuseTransactionPooling,
  Readers,
} from '../postgres/connection.ts';
import { PostgresEngine, postgresReader, type AgentSession, type Writing } from '../postgres/engine.ts';
import { isGivenUp, isOfServer, ledgerFailure } from '../postgres/failure.ts';
import { OwnChain, type ChainOf } from '../postgres/ownChain.ts';
import type { Sql } from '../postgres/statements.ts';
import {
  END_LEADS,
  IS_RUNNING,
  IS_SILENT,
  madeAnew,
  newer,
  NOW,
  prepareTables,
  SCHEMA_VERSION,
  TELL,
} from '../postgres/tables.ts';
import { StoreFailed, withFaults, type Answers, type Runner } from '../runner.ts';
import { blankOwn, bringBack, findSetback, waitForOthers, type Setback, type Wait } from './setback.ts';

/* ---- The agent's row ---- */

/** Nothing if its number is that of an agent that came back under it: the next try has the next one. */
const MAKE = `
INSERT INTO agents (name, ledger, hash) SELECT :name::text, :ledger::text, :hash::text
 WHERE NOT EXISTS (SELECT FROM agents WHERE name = :name) ON CONFLICT DO NOTHING`;
/** An agent that the database does not know any more, under its number. */
const MAKE_AGAIN = `
INSERT INTO agents (id, name, ledger, hash, bringing) OVERRIDING SYSTEM VALUE VALUES (:number::integer, :agent::text, :chain::text, :hash::text, true)`;
const BEFORE = `
SELECT a.instance, a.host, a.ledger, ${IS_RUNNING} AS "isLeased" FROM agents a WHERE a.name = :name FOR UPDATE`;
/**
 * The same state directory under another name that has its own folders and is not running. A running one is ignored: a copy of a state directory may
 * work beside its original.
 */
const FORMER = `
SELECT a.name FROM agents a
 WHERE a.instance = :instance AND a.name <> :name AND NOT ${IS_RUNNING}
   AND EXISTS (SELECT FROM folders f WHERE f.owner = 'agent:' || a.name)
 ORDER BY a.seen_at DESC LIMIT 1`;
const JOIN = `
UPDATE agents
   SET epoch = epoch + 1, instance = :instance, host = :host, version = :version, running = true,
       started_at = CASE WHEN :isCommand THEN started_at ELSE ${NOW} END, seen_at = ${NOW}, lease_until = ${NOW} + :leaseMs, taken_by = NULL
 WHERE name = :name
RETURNING id AS agent, epoch, seq, hash, seen_at AS now`;
const RENEW = `
WITH renewed AS (
  UPDATE agents SET seen_at = ${NOW}, lease_until = ${NOW} + :leaseMs WHERE id = :agent AND epoch = :epoch AND name = :name
  RETURNING id, name, paused_by, seen_at)
SELECT own.paused_by AS "pausedBy", own.seen_at AS now, t.version, t.behind IS NOT NULL AS "isBehind", EXISTS (SELECT FROM erasures e WHERE e.agent = own.id) AS "isAnyErased", o."isAnyOverdue", o."isAnySilent", o.rank, o.running + 1 AS running
  FROM renewed own CROSS JOIN tables t
 CROSS JOIN LATERAL (
   SELECT coalesce(bool_or(a.lease_until <= ${NOW}), false) AS "isAnyOverdue", coalesce(bool_or(${IS_SILENT}), false) AS "isAnySilent",
          count(*) FILTER (WHERE ${IS_RUNNING} AND a.name < own.name) AS rank, count(*) FILTER (WHERE ${IS_RUNNING}) AS running
     FROM agents a WHERE a.id <> own.id) o`;
/** Ends the session. The lease stays if a request is still open: if the agent does not return, others put that request's document back. */
const LEAVE = `
UPDATE agents
   SET running = false, epoch = epoch + 1, seen_at = ${NOW},
       lease_until = CASE WHEN EXISTS (
         SELECT FROM documents d WHERE d.state = 'uploading' AND d.attempt >= :first::bigint AND d.attempt < :next::bigint) THEN lease_until END
 WHERE id = :agent AND epoch = :epoch`;
const SEEN = 'SELECT seen_at AS "seenAt" FROM agents WHERE name = :name';
const SET_BRINGING = 'UPDATE agents SET bringing = :bringing WHERE name = :name AND bringing <> :bringing';
const ADD_LINE = `
INSERT INTO chain (agent, seq, entry, hash, personal) VALUES (:agent, :seq, :entry, :hash, :personal)`;

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;
/** Heartbeats per lease: one may be late without harm. An idle agent commits little else. */
const BEATS = 2.5;
const FORGOTTEN = toMessage({ is: 'lostWithServer' });

/* ---- What others learn ---- */

/** What an agent learns with each heartbeat, in the same commit, so that an idle agent needs no other one. */
export interface Beat {
  /** Who has paused this agent. */
  readonly pausedBy: string | null;
  /** The lease of another agent has expired, and nobody has taken over its work yet. */
  readonly isAnyOverdue: boolean;
  /** The lease of another agent has expired, and it has not come back. */
  readonly isAnySilent: boolean;
  /** Whether the agent has yet to blank lines in its own copy of its chain. */
  readonly isAnyErased: boolean;
  /** How many running agents come before this one by name, and how many there are. */
  readonly rank: number;
  readonly running: number;
  /** By the database's clock; milliseconds. */
  readonly now: number;
  /** Of the tables. */
  readonly version: number;
  /** The tables are being made anew. */
  readonly isBehind: boolean;
}

/** `paused`: this agent was paused or resumed. */
export type MemberSignal = FleetSignal | 'paused';
const SIGNALS: readonly FleetSignal[] = ['queue', 'holds', 'agents'];

export interface MemberListener {
  /** Connected again, possibly to another server. */
  back(): void;
  /** Heartbeats don't wait for it. If it fails because of the ledger, the agent connects again. */
  beat(beat: Beat): Promise<void>;
  told(signal: MemberSignal): void;
}

/** The beginning of a chain that is moved here. */
export interface MovedChain {
  readonly ledger: string;
  readonly first: JournalLine;
}

export interface MemberOptions {
  readonly target: Target;
  readonly name: string;
  /** Identifies the state directory: stays the same across restarts, and differs on another machine with the same name. */
  readonly instance: string;
  readonly version: string;
  readonly leaseMs: number;
  /** A command acting for its agent, which is not running: the fleet's record of the agent stays unchanged. */
  readonly isCommand?: boolean;
  /** Names of shared folders, by their absolute path on this machine. */
  readonly shares: ReadonlyMap<string, string>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Absolute path of this agent's own copy of its chain. Left out: a database that went back is not noticed. */
  readonly memoryPath?: string;
  /** Left out: a new agent begins its own chain. */
  readonly moved?: MovedChain | undefined;
  /** Called if the database turns out to lack entries of this agent. */
  readonly onWentBack?: (story: string) => void;
  /** Called with how long each commit took; milliseconds. */
  readonly onCommitted?: (ms: number) => void;
}

interface Moment {
  readonly monotonic: number;
  readonly wall: number;
}

/**
 * One agent of a fleet: its row in the shared ledger, its lease, its copy of its chain, and its connections. One connection writes, one has heartbeats and
 * what other agents signal; reads have their own.
 *
 *   away ──connect, join──▶ joined ──bring back──▶ writing ──bring forward──▶ back ──close──▶ closed
 *    ▲                        │                       │                        │
 *    └────────────────────────┴───────────────────────┴────────────────────────┘ a connection is lost, the lease was taken, or the server fails
 *
 *   away     `trouble` says why, and refuses reads and steps. It connects again after a pause that grows with each failure and is random, so that agents
 *            don't come together. The lease goes on until it is over by one of this machine's clocks, since one may stand still
 *   joined   the session is the one before if its lease still holds, else a new one: whatever the former one still writes is refused. From here on there
 *            are heartbeats. If the database went back, it gets what it lacks (setback.ts), before anything new is named or sent
 *   writing  steps may run whose connection was lost, and find out whether they were committed. The tables are brought forward if they were emptied, and
 *            requests that only the new server knows of are ended
 *   back     steps run
 */
export class Member implements LedgerStorage, Writing, Pick<Runner, 'run' | 'storage' | 'blanked'> {
  readonly name: string;
  /** The ledger, for sentences. */
  readonly where: string;
  /** Ids of the shared folders that this agent has. */
  readonly folders: ReadonlySet<number>;
  readonly core: LedgerCore;
  readonly storage = this;
  readonly #options: MemberOptions;
  readonly #connector: Connector;
  readonly #own: OwnChain | undefined;
  readonly #readers: Readers;
  readonly #closed = new AbortController();
  #listener: MemberListener | null = null;
  readonly #onChange = new Set<() => void>();
  #state: 'away' | 'joined' | 'writing' | 'back' = 'away';
  #error: ReceiptdError | null = null;
  #staying: Promise<void> = Promise.resolve();
  #returning: Promise<void> = Promise.resolve();
  /** Ends the present connections. */
  #end: (why: ReceiptdError) => void = () => {};
  #writer: Connection | null = null;
  #waiting: (() => void)[] = [];
  #session: AgentSession | null = null;
  /** Names this agent's chain. */
  #chain = '';
  /** The database's clock when it was last read, by this machine's. */
  #clockAt = { ledger: 0, monotonic: 0 };
  #leasedUntil: Moment = { monotonic: -Infinity, wall: -Infinity };
  #untoldStory: string | null = null;
  #isBlankingLate = false;
  /** Requests of this process, by document. One that ended is kept while it is repeated at once. */
  readonly #underWay = new Map<number, { readonly attempt: number; readonly epoch: number }>();

  constructor(options: MemberOptions) {
    const { target, name, shares, memoryPath, log } = options;
    this.#options = options;
    this.#connector = new Connector(target);
    this.#readers = new Readers(this.#connector, name);
    this.#own = memoryPath === undefined ? undefined : new OwnChain(memoryPath, log);
    this.name = name;
    this.where = this.#connector.where;
    this.folders = new Set(
      [...shares.values()].map((share) => folderIdOf({ owner: `share:${share}`, path: '' })),
    );
    this.core = new LedgerCore(
      new PostgresEngine(
        this,
        postgresReader((work) => this.read(work)),
      ),
    );
  }

  /** One listens: the fleet. */
  listen(listener: MemberListener): void {
    this.#listener = listener;
  }

  /**
   * Makes the tables if the role may, and begins the session. If the database is unreachable now, it resolves anyway, with `trouble` set, and keeps trying.
   * @throws ReceiptdError LEDGER_REFUSED, LEDGER_NEWER, LEDGER_OLDER, AGENT_NAME_TAKEN, AGENT_RENAMED: what waiting does not solve
   */
  async start(): Promise<void> {
    try {
      await new Promise<void>((resolve, reject) => {
        this.#staying = this.#stay(resolve, reject);
      });
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  /** Ends the session, so that others need not wait for its lease. Idempotent. */
  async close(): Promise<void> {
    if (this.isClosed) return;
    this.#closed.abort();
    await this.#staying;
    this.#wake();
    await this.#returning;
    await this.core.idle();
    if (this.#isWriting && this.#writer?.isOpen === true) await this.#leave(this.#writer).catch(() => {});
    await this.#writer?.close();
    await this.#readers.close();
    this.#own?.close();
    this.#onChange.clear();
  }

  get isClosed(): boolean {
    return this.#closed.signal.aborted;
  }

  /* ---- For those that use the ledger ---- */

  /** @throws ReceiptdError LEDGER_UNREACHABLE before the first session */
  get session(): AgentSession {
    if (this.#session) return this.#session;
    throw new ReceiptdError('LEDGER_UNREACHABLE.notYet', { where: this.where });
  }

  /** Milliseconds, by the database's clock. */
  get now(): number {
    const { ledger, monotonic } = this.#clockAt;
    return Math.floor(ledger + this.#options.clock.monotonic() - monotonic);
  }

  /** Whether the lease is certain, and is the one in which the request was recorded. */
  isLeased(attempt?: number): boolean {
    const { clock } = this.#options;
    const { monotonic, wall } = this.#leasedUntil;
    if (clock.monotonic() >= monotonic || clock.now() >= wall) return false;
    if (attempt === undefined) return true;
    const request = [...this.#underWay.values()].find((each) => each.attempt === attempt);
    return request?.epoch === this.#session?.epoch;
  }

  trouble(): StorageTrouble | null {
    if (this.#error === null) return null;
    const { code, hint = '' } = this.#error;
    const known = code === 'LEDGER_WRITE_FAILED' ? code : 'LEDGER_UNREACHABLE';
    return { ...this.#error.facts(), code: known, hint };
  }

  onChange(listener: () => void): () => void {
    this.#onChange.add(listener);
    return () => this.#onChange.delete(listener);
  }

  async run(steps: readonly Step[]): Promise<Answers> {
    if (this.#error !== null) throw new StoreFailed(this.#error, false);
    // Of a session that has ended when the steps are done, a request does not count: it may have been taken over.
    const { epoch } = this.session;
    try {
      const answers: Answers = await this.core.run(steps);
      for (const [i, step] of steps.entries()) this.#learn(step, answers[i] ?? [], epoch);
      // Where the server failed after a part was done, the rest has its error as answer.
      return withFaults(answers, (fault) => (isOfServer(fault) ? ledgerFailure(fault, this.where) : fault));
    } catch (error) {
      throw new StoreFailed(ledgerFailure(error, this.where), false);
    }
  }

  /** Runs `work` on committed state, on another connection. */
  async read<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    if (this.isClosed) throw new ReceiptdError('LEDGER_WRITE_FAILED.sharedClosed', { where: this.where });
    if (this.#error !== null) throw this.#error;
    const end = this.#end;
    try {
      return await this.#readers.use(work);
    } catch (error) {
      if (!isOfServer(error)) throw error;
      const failure = ledgerFailure(error, this.where);
      // A read that took too long says nothing about the others, nor does one that began with connections that have ended since.
      if (!isGivenUp(error) && end === this.#end) this.failed(failure);
      throw failure;
    }
  }

  /**
   * Resolves once nothing that was erased is left in this agent's own copy of its chain. Other agents do the same with their next heartbeat.
   * @throws ReceiptdError LEDGER_WRITE_FAILED; it is tried again with each heartbeat
   */
  async blanked(): Promise<void> {
    try {
      await this.#blank();
    } catch (error) {
      if (isOfLedger(error)) throw error;
      const path = this.#own?.path ?? '';
      throw new ReceiptdError('LEDGER_WRITE_FAILED.notRewritten', { path }, { cause: error });
    }
  }

  /* ---- For the engine ---- */

  get #isWriting(): boolean {
    return this.#state === 'writing' || this.#state === 'back';
  }

  get connection(): Connection {
    if (this.#isWriting && this.#writer?.isOpen === true) return this.#writer;
    throw new ReceiptdError('LEDGER_UNREACHABLE.lost', { where: this.where });
  }

  async reconnected(): Promise<Connection> {
    for (;;) {
      try {
        return this.connection;
      } catch (error) {
        if (this.isClosed) throw error;
        await new Promise<void>((resolve) => this.#waiting.push(resolve));
      }
    }
  }

  committed(lines: readonly string[], head: ChainHead): void {
    this.#own?.append(lines, head);
  }

  onCommitted(ms: number): void {
    this.#options.onCommitted?.(ms);
  }

  failed(error: ReceiptdError): void {
    const isNew = this.#error?.message !== error.message;
    this.#error = error;
    if (isNew) this.#changed();
    this.#end(error);
  }

  sleep(ms: number): Promise<void> {
    return this.#options.clock.sleep(ms);
  }

  /* ---- Connections ---- */

  /** Until this is closed. */
  async #stay(started: () => void, refused: (error: ReceiptdError) => void): Promise<void> {
    const { clock, random, log } = this.#options;
    const { signal } = this.#closed;
    let isFirst = true;
    /** Since it was back. */
    let failures = 0;
    const isBack = (): void => {
      if (failures > 0) log.info('ledgerReachable', { ledger: this.where });
      failures = 0;
      isFirst = false;
      started();
    };
    while (!signal.aborted) {
      try {
        await this.#stayConnected(isFirst, isBack);
      } catch (error) {
        this.#state = 'away';
        this.#end = () => {};
        this.#readers.end();
        if (signal.aborted) break;
        const failure = ledgerFailure(error, this.where);
        if (isFirst && failure.code !== 'LEDGER_UNREACHABLE') return refused(failure);
        if (failures === 0 && !isFirst) log.error('ledgerUnreachable', { detail: failure.sentence() });
        this.failed(failure);
        isFirst = false;
        failures += 1;
        started();
        const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(failures, 10));
        await clock.sleep(pause * (0.5 + random() / 2), signal).catch(() => {});
      }
    }
    started();
  }

  /** Resolves when this is closed. @throws why the connections ended, or were not made */
  async #stayConnected(isFirst: boolean, isBack: () => void): Promise<void> {
    const over = new AbortController();
    const ended = AbortSignal.any([this.#closed.signal, over.signal]);
    const connections: Connection[] = [];
    const connect = async (what: string, answerWithinMs?: number): Promise<Connection> => {
      const connection = await this.#connector.connect(`receiptd ${this.name}${what}`, answerWithinMs);
      connections.push(connection);
      const lost = (detail: string) => over.abort(this.#unreachable(detail));
      void connection.lost.then(lost);
      return connection;
    };
    // Closing must not wait for a server that does not answer. A connection that steps may use is for them to end.
    const destroy = (): void => {
      if (!this.#isWriting) for (const each of connections) each.destroy();
    };
    this.#closed.signal.addEventListener('abort', destroy);
    try {
      const writer = await connect('');
      // Without an answer for that long, the lease has expired: the connection is half-open.
      const heart = await connect(' heartbeat', this.#options.leaseMs);
      await refuseTransactionPooling(writer, heart, this.where);
      await prepareTables(writer, this.where);
      heart.onNotify((payload) => this.#tell(payload));
      await heart.exec('LISTEN receiptd');
      const lacking = await this.#join(writer, ended);
      this.#writer = writer;
      this.#state = 'joined';
      this.#end = (why) => over.abort(why);
      // Not awaited here: it may wait for steps that wait for another connection.
      this.#returning = this.#return(writer, lacking, isFirst, ended).then(
        () => {
          if (!ended.aborted) isBack();
        },
        (error: unknown) => over.abort(error),
      );
      await this.#beat(heart, ended);
      over.signal.throwIfAborted();
      await heart.close();
    } catch (error) {
      for (const each of connections) each.destroy();
      throw error;
    } finally {
      this.#closed.signal.removeEventListener('abort', destroy);
    }
  }

  /** From joined to back. */
  async #return(
    writer: Connection,
    { setback, wait }: Lacking,
    isFirst: boolean,
    ended: AbortSignal,
  ): Promise<void> {
    if (setback !== null && this.#own !== undefined) {
      if (setback.isWhole) this.#own.begin(this.#chainOf(), setback.end);
      this.#untoldStory = await bringBack(setback, this, { own: this.#own, sql: writer, wait });
      await writer.run(SET_BRINGING, { name: this.name, bringing: false });
    }
    await this.#rememberFrom(writer);
    // Nothing new is named or sent before the others have brought back theirs.
    while (await wait());
    ended.throwIfAborted();
    if (this.#untoldStory !== null) this.#options.onWentBack?.(this.#untoldStory);
    this.#untoldStory = null;
    this.#state = 'writing';
    this.#wake();
    // Another server may lack what the tables had, and another version of the program may have emptied them.
    this.#readers.renew();
    await this.core.start();
    if (!isFirst) {
      this.#listener?.back();
      await this.#endForgotten();
    }
    if (ended.aborted) return;
    this.#state = 'back';
    const wasTroubled = this.#error !== null;
    this.#error = null;
    if (wasTroubled) this.#changed();
    // Others may have changed anything meanwhile.
    for (const signal of SIGNALS) this.#tell(signal);
  }

  /** Heartbeats until the connections end. */
  async #beat(heart: Connection, ended: AbortSignal): Promise<void> {
    const { clock, leaseMs, log } = this.#options;
    let isBusy = false;
    const learn = async (beat: Beat): Promise<void> => {
      if (isBusy || this.#state !== 'back') return;
      isBusy = true;
      try {
        await this.#learnFrom(beat);
      } catch (error) {
        const failure = ledgerFailure(error, this.where);
        if (isOfLedger(error)) this.#end(failure);
        else if (!isTakenOver(error)) log.error('ledgerBeatFailed', { detail: failure.sentence() });
      } finally {
        isBusy = false;
      }
    };
    while (!ended.aborted) {
      const beat = await this.#renew(heart);
      if (beat === null) throw this.#unreachable('leaseOver');
      // Not awaited: a write queued behind others must not cost the lease.
      void learn(beat);
      await clock.sleep(leaseMs / BEATS, ended).catch(() => {});
    }
  }

  async #learnFrom(beat: Beat): Promise<void> {
    const { version, isBehind, isAnyErased } = beat;
    // An agent that writes nothing would read empty tables.
    if (version !== SCHEMA_VERSION) throw newer(this.where, version);
    if (isBehind) throw madeAnew(this.where);
    if (isAnyErased) {
      const path = this.#own?.path ?? null;
      const wasLate = this.#isBlankingLate;
      this.#isBlankingLate = await this.#blank().then(
        () => false,
        (error: unknown) => {
          if (!wasLate) this.#options.log.warn('chainNotBlanked', { path, ...describeError(error) });
          return true;
        },
      );
    }
    await this.#listener?.beat(beat);
  }

  /** A signal, optionally with the place concerned, so that agents that don't reach the place need not query the database. */
  #tell(payload: string): void {
    const [word, place] = /^(\w+)(?: (.*))?$/s.exec(payload)?.slice(1) ?? [];
    const signal = ([...SIGNALS, 'paused'] as const).find((each) => each === word);
    const isMeant = place === undefined || place === `agent:${this.name}` || this.folders.has(Number(place));
    if (signal && isMeant) this.#listener?.told(signal);
  }

  #changed(): void {
    for (const listener of this.#onChange) listener();
  }

  #unreachable(detail: string): ReceiptdError {
    return new ReceiptdError('LEDGER_UNREACHABLE.connection', { where: this.where, detail });
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  /* ---- Session and lease ---- */

  /** @throws ReceiptdError AGENT_NAME_TAKEN, AGENT_RENAMED, or what the database fails with */
  async #join(writer: Connection, ended: AbortSignal): Promise<Lacking> {
    const { clock, leaseMs } = this.#options;
    const { name, where } = this;
    // A transaction that hangs must not keep this agent's row locked against agents that would take over its work.
    await writer.exec(`SET idle_in_transaction_session_timeout = ${leaseMs}; ${BY_INDEX}`);
    const setback = (this.#own && (await findSetback(writer, this.#own, { name, where }))) ?? null;
    const isEarlier = setback !== null || (await this.#isEarlier(writer));
    const wait = isEarlier ? await waitForOthers(writer, name, clock, ended) : async () => false;
    // Before anything else says that this agent is here.
    await writer.run(SET_BRINGING, { name, bringing: setback !== null });
    const isResumed = this.#session !== null && (await this.#renew(writer)) !== null;
    if (!isResumed) await this.#beginSession(writer, setback);
    return { setback, wait };
  }

  /** Whether the database is in a state from before this process's last heartbeat. */
  async #isEarlier(writer: Connection): Promise<boolean> {
    if (this.#session === null) return false;
    const row = await writer.get<{ readonly seenAt: number }>(SEEN, { name: this.name });
    return (row?.seenAt ?? 0) < this.#clockAt.ledger;
  }

  /** From now on, what an earlier session of this name still writes is refused. */
  async #beginSession(writer: Connection, setback: Setback | null): Promise<void> {
    const { instance, version, leaseMs, isCommand = false, moved } = this.#options;
    const { name } = this;
    if (setback?.isUnknown === true && setback.isWhole) {
      const { agent, number, chain } = setback.end;
      await writer.run(MAKE_AGAIN, { agent, number, chain, hash: NO_HASH });
    }
    const made = { name, ledger: moved?.ledger ?? randomUUID(), hash: NO_HASH };
    await writer.exec('BEGIN');
    try {
      let before: AgentBefore | undefined;
      while (before === undefined) {
        await writer.run(MAKE, made);
        before = await writer.get<AgentBefore>(BEFORE, { name });
      }
      if (before.instance !== instance) {
        if (before.isLeased) throw new ReceiptdError('AGENT_NAME_TAKEN', { agent: name, host: before.host });
        const former = await writer.get<{ readonly name: string }>(FORMER, { name, instance });
        if (former) throw new ReceiptdError('AGENT_RENAMED.inLedger', { former: former.name, agent: name });
      }
      const until = this.#leaseFromNow();
      const self = { name, instance, host: hostname(), version, leaseMs, isCommand };
      const row = await writer.get<AgentSession & ChainHead & { readonly now: number }>(JOIN, self);
      if (row === undefined) throw new Error('the row of this agent is missing');
      const { agent, epoch, seq, hash, now } = row;
      const { ledger } = before;
      if (moved && ledger !== moved.ledger)
        throw new ReceiptdError('MOVE_REFUSED.agentNameTaken', { agent: name });
      const entry = {
        kind: 'begun',
        ledger,
        because: toMessage({ is: 'agentJoined', agent: name }),
      } as const;
      if (seq === 0 && setback?.isWhole !== true) {
        const [line] = moved
          ? [movedLine(moved.first, agent)]
          : chainLines([{ entry, at: now }], { seq, hash }, agent).rows;
        const { seq: first, entry: text, hash: of, personal } = line as unknown as ChainRow & ChainHead;
        writer.send(ADD_LINE, { agent, seq: first, entry: text, hash: of, personal });
        writer.send(SET_HEAD, { agent, seq: first, hash: of });
      }
      writer.send(END_LEADS, { agent });
      await writer.settled();
      await writer.commit();
      this.#session = { agent, epoch };
      this.#chain = ledger;
      this.#leased(until, now);
    } catch (error) {
      await writer.settled().catch(() => {});
      await writer.exec('ROLLBACK').catch(() => {});
      throw error;
    }
  }

  /** The heartbeat. Null if the lease was taken away. */
  async #renew(connection: Connection): Promise<Beat | null> {
    const until = this.#leaseFromNow();
    // The name, too: a database that went back may have given the number to another agent.
    const own = { ...this.session, leaseMs: this.#options.leaseMs, name: this.name };
    const beat = (await connection.get<Beat>(RENEW, own)) ?? null;
    if (beat !== null) this.#leased(until, beat.now);
    return beat;
  }

  /** Call before requesting the lease: the database starts it later. */
  #leaseFromNow(): Moment {
    const { clock, leaseMs } = this.#options;
    return { monotonic: clock.monotonic() + leaseMs, wall: clock.now() + leaseMs };
  }

  #leased(until: Moment, now: number): void {
    this.#leasedUntil = until;
    this.#clockAt = { ledger: now, monotonic: this.#options.clock.monotonic() };
  }

  async #leave(writer: Connection): Promise<void> {
    const { agent, epoch } = this.session;
    const first = agent * CHAIN;
    await writer.exec('BEGIN');
    writer.send(LEAVE, { agent, epoch, first, next: first + CHAIN });
    writer.send(END_LEADS, { agent });
    // What it kept to itself waits for nobody else any more.
    for (const folder of this.folders) writer.send(TELL, { signal: `queue ${folder}` });
    const committed = writer.commit();
    committed.catch(() => {});
    await writer.settled();
    await committed;
  }

  /* ---- Its copy of its chain ---- */

  #chainOf(): ChainOf {
    return { agent: this.name, number: this.session.agent, chain: this.#chain, where: this.where };
  }

  /** Goes on with the copy, and adds what a crash or a full disk kept out of it. */
  async #rememberFrom(writer: Connection): Promise<void> {
    const own = this.#own;
    if (own === undefined) return;
    const { agent } = this.session;
    const head = await headOf(writer, agent);
    const last = own.end();
    const from = last?.chain === this.#chain ? last : { seq: 0, hash: NO_HASH };
    const { value: lines = [] } = await linesBehind(writer, agent, from.seq).next();
    const isAll = lines.length === head.seq - from.seq;
    own.begin(this.#chainOf(), isAll ? from : head);
    if (isAll && lines.length > 0) own.append(lines.map(lineText), head);
  }

  #blank(): Promise<void> {
    return this.read((sql) => blankOwn(sql, this.session.agent, this.#own));
  }

  /* ---- Requests of this process ---- */

  #learn([name, items]: Step, answers: readonly unknown[], epoch: number): void {
    if (name === 'recover') this.#underWay.clear();
    if (name === 'begin')
      for (const [i, { document }] of items.entries()) {
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an answer for each item
        const answer = answers[i] as Partial<BeginAnswer>;
        if (answer.kind === 'begun' && answer.attempt !== undefined)
          this.#underWay.set(document, { attempt: answer.attempt, epoch });
      }
    if (name === 'end')
      for (const [i, { document, next }] of items.entries())
        if (next !== null && (answers[i] as Partial<Done>).isDone === true) this.#underWay.delete(document);
    if (name === 'move')
      for (const answer of answers as readonly Partial<MoveAnswer>[])
        for (const id of answer.moved ?? []) this.#underWay.delete(id);
  }

  /** After a failover, the new server may lack the last commits: nobody would end the requests that it has and this process has not. */
  async #endForgotten(): Promise<void> {
    // A request whose recording was not answered yet is known once that is.
    await this.core.idle();
    const { epoch } = this.session;
    const except = [...this.#underWay].flatMap(([id, request]) => (request.epoch === epoch ? [id] : []));
    const at = this.#options.clock.now();
    await this.core.run([['recover', [{ at, except, message: FORGOTTEN }]]]);
  }
}

interface Lacking {
  /** What the database lacks of this agent's chain. */
  readonly setback: Setback | null;
  /** For others that bring back theirs. */
  readonly wait: Wait;
}

interface AgentBefore {
  readonly instance: string | null;
  readonly host: string;
  readonly ledger: string;
  readonly isLeased: boolean;
}
