import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { ReceiptdError } from '../../../core/domain/errors.ts';
import type { Clock } from '../../../core/ports/clock.ts';
import { NO_HASH } from '../../journal/line.ts';
import type { Connection } from '../../postgres/connection.ts';
import type { ChainMemory } from '../../postgres/chainMemory.ts';
import type { Pulse, Self } from '../../postgres/session.ts';
import type { Params } from '../../postgres/statements.ts';
import { storyOf } from '../../postgres/wentBack.ts';
import { CHAIN, type Entry } from '../entries.ts';
import type { Cells } from '../schema.ts';
import { chainLines, movedLine, type ChainHead, type MovedEntry } from './chain.ts';
import { findSetback } from './setback.ts';
import { NOW } from './postgresTables.ts';

/** This agent's row while it works: every transaction is checked against the epoch. */
export interface Session {
  /** The agent's number. */
  readonly agent: number;
  readonly epoch: number;
}

/** Statements say which index they mean: a plan made for a small table must be right for the large one that it becomes. */
export const BY_INDEX = 'SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off';

const MAKE = `
INSERT INTO agents (name, ledger, hash) SELECT :name::text, :ledger::text, :hash::text
 WHERE NOT EXISTS (SELECT FROM agents WHERE name = :name) ON CONFLICT (name) DO NOTHING`;

const BEFORE = `
SELECT instance, host, ledger, running AND coalesce(lease_until > ${NOW}, false) AS "isLeased" FROM agents WHERE name = :name FOR UPDATE`;

/**
 * The same state directory under another name that has its own folders and is not running. A running one is ignored: a copy of a state directory may
 * work beside its original.
 */
const FORMER = `
SELECT a.name FROM agents a
 WHERE a.instance = :instance AND a.name <> :name AND NOT (a.running AND coalesce(a.lease_until > ${NOW}, false))
   AND EXISTS (SELECT FROM folders f WHERE f.owner = 'agent:' || a.name)
 ORDER BY a.seen_at DESC LIMIT 1`;

const JOIN = `
UPDATE agents
   SET epoch = epoch + 1, instance = :instance, host = :host, version = :version, running = true,
       started_at = CASE WHEN :isCommand THEN started_at ELSE ${NOW} END, seen_at = ${NOW}, lease_until = ${NOW} + :leaseMs
 WHERE name = :name
RETURNING id AS agent, epoch, seq, hash, seen_at AS now`;

const ADD_LINES = `
INSERT INTO chain (agent, seq, entry, hash, personal) VALUES (:agent, :seq, :entry, :hash, :personal)`;
const HEAD = 'SELECT seq, hash FROM agents WHERE id = :agent';
export const SET_HEAD = `UPDATE agents SET seq = :seq, hash = :hash WHERE id = :agent`;

/** Conditions on an agent `a`. */
export const IS_RUNNING = `(a.running AND coalesce(a.lease_until > ${NOW}, false))`;
export const IS_SILENT = `(a.running AND a.started_at IS NOT NULL AND coalesce(a.lease_until <= ${NOW}, true))`;

/** What an agent learns with each heartbeat, in the same commit, so that an idle agent needs no other one. */
export interface Beat extends Pulse {
  /** How many running agents come before this one by name, and how many there are. */
  readonly rank: number;
  readonly running: number;
  /** By the database's clock; milliseconds. */
  readonly now: number;
}

const RENEW = `
WITH renewed AS (
  UPDATE agents SET seen_at = ${NOW}, lease_until = ${NOW} + :leaseMs WHERE id = :agent AND epoch = :epoch AND name = :name
  RETURNING id, name, paused_by, seen_at)
SELECT own.paused_by AS "pausedBy", own.seen_at AS now, o."isAnyOverdue", o."isAnySilent", o.rank, o.rank = 0 AS "isFirst", o.running + 1 AS running
  FROM renewed own
 CROSS JOIN LATERAL (
   SELECT coalesce(bool_or(a.lease_until <= ${NOW}), false) AS "isAnyOverdue", coalesce(bool_or(${IS_SILENT}), false) AS "isAnySilent",
          count(*) FILTER (WHERE ${IS_RUNNING} AND a.name < own.name) AS rank, count(*) FILTER (WHERE ${IS_RUNNING}) AS running
     FROM agents a WHERE a.id <> own.id) o`;

/** The lease stays if a request is still open: if the agent does not return, others put that request's document back. */
const LEAVE = `
UPDATE agents
   SET running = false, seen_at = ${NOW},
       lease_until = CASE WHEN EXISTS (
         SELECT FROM documents d WHERE d.state = 'uploading' AND d.attempt >= :first::bigint AND d.attempt < :next::bigint) THEN lease_until END
 WHERE id = :agent AND epoch = :epoch`;

export const TELL = `SELECT pg_notify('receiptd', :signal)`;
/** Agents that have the folder may take the lead. */
export const END_LEADS = `
WITH ended AS (DELETE FROM leads WHERE agent = :agent RETURNING folder)
SELECT pg_notify('receiptd', 'agents ' || folder) FROM ended`;

interface Moment {
  readonly monotonic: number;
  readonly wall: number;
}
const NEVER: Moment = { monotonic: -Infinity, wall: -Infinity };

export interface MovedChain {
  readonly ledger: string;
  readonly first: MovedEntry;
}

export interface MemberOptions {
  readonly self: Self;
  /** The ledger, for sentences. */
  readonly where: string;
  /** Ids of the shared folders that this agent has. */
  readonly folders: ReadonlySet<number>;
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  /** Of this agent's commits, on this machine; left out: nothing is remembered. */
  readonly memory?: ChainMemory | undefined;
  /** The chain of a ledger that is moved here, and its first line; left out: a new agent begins its own. */
  readonly moved?: MovedChain | undefined;
  /** Called if the database turns out to lack remembered commits. */
  readonly onWentBack?: ((story: string) => void) | undefined;
}

/**
 * This agent in its fleet: its row, its lease, and the connection for writes while there is one.
 *
 *   away ──begin: joined, or resumed within its lease──▶ connected ──the connection is lost, or another agent took over──▶ away
 *
 * Link (postgres/link.ts) opens the connections, and reopens them.
 */
export class Member {
  readonly self: Self;
  readonly where: string;
  readonly folders: ReadonlySet<number>;
  readonly #options: MemberOptions;
  readonly #listeners = {
    fenced: new Set<() => void>(),
    back: new Set<() => void>(),
    beat: new Set<(beat: Beat) => Promise<void>>(),
  };
  #session: Session | null = null;
  /** Names this agent's chain. */
  #ledger = '';
  /** The database's clock when it was last read, by this machine's. */
  #clockAt = { ledger: 0, monotonic: 0 };
  #leasedUntil = NEVER;
  #connection: Connection | null = null;
  readonly #waiting = new Set<(connection: Connection | null) => void>();
  #isClosed = false;

  constructor(options: MemberOptions) {
    this.#options = options;
    ({ self: this.self, where: this.where, folders: this.folders } = options);
  }

  /** @throws ReceiptdError LEDGER_UNREACHABLE before the first session */
  get session(): Session {
    if (this.#session) return this.#session;
    throw new ReceiptdError('LEDGER_UNREACHABLE.notYet', { where: this.where });
  }

  /** Whether the lease is certain, by both local clocks, since one of them may stand still. */
  get isLeased(): boolean {
    const { monotonic, wall } = this.#leasedUntil;
    const { clock } = this.#options;
    return clock.monotonic() < monotonic && clock.now() < wall;
  }

  /** Milliseconds, by the database's clock. */
  get now(): number {
    const { ledger, monotonic } = this.#clockAt;
    return Math.floor(ledger + this.#options.clock.monotonic() - monotonic);
  }

  /** The connection for writes. @throws ReceiptdError LEDGER_UNREACHABLE while there is none */
  get connection(): Connection {
    if (this.#connection?.isOpen === true) return this.#connection;
    throw new ReceiptdError('LEDGER_UNREACHABLE.lost', { where: this.where });
  }

  /** The connection that replaces a lost one, once there is one. @throws ReceiptdError LEDGER_UNREACHABLE if this is closed before */
  async reconnected(): Promise<Connection> {
    if (this.#connection?.isOpen === true) return this.#connection;
    if (this.#isClosed) throw this.#lost();
    const connection = await new Promise<Connection | null>((resolve) => this.#waiting.add(resolve));
    if (connection === null) throw this.#lost();
    return connection;
  }

  /** Calls back when another agent took over, and a new session has begun. */
  onFenced(listener: () => void): void {
    this.#listeners.fenced.add(listener);
  }

  /** Calls back each time this agent is connected again, possibly to another server. */
  onBack(listener: () => void): void {
    this.#listeners.back.add(listener);
  }

  /** Calls back after each heartbeat, which does not wait for it. If it fails because of the ledger, the connections are opened anew. */
  onBeat(listener: (beat: Beat) => Promise<void>): void {
    this.#listeners.beat.add(listener);
  }

  async beaten(beat: Beat): Promise<void> {
    for (const listener of this.#listeners.beat) await listener(beat);
  }

  back(): void {
    for (const listener of this.#listeners.back) listener();
  }

  /* For Link: the heartbeat, and whether a signal about a folder or an agent concerns this one. */
  readonly membership = { renew: (heart: Connection): Promise<Beat | null> => this.renew(heart) };
  readonly places = {
    reaches: (of: string): boolean => of === `agent:${this.self.name}` || this.folders.has(Number(of)),
  };

  /** Starts using a new connection. @throws ReceiptdError AGENT_NAME_TAKEN, AGENT_RENAMED, or what the database fails with */
  async begin(connection: Connection): Promise<void> {
    const before = this.#session;
    // A transaction that hangs must not keep this agent's row locked against agents that would take over its work.
    await connection.exec(`SET idle_in_transaction_session_timeout = ${this.self.leaseMs}; ${BY_INDEX}`);
    const { memory, onWentBack } = this.#options;
    const setback =
      memory && (await findSetback(connection, memory, { name: this.self.name, where: this.where }));
    const isResumed = before !== null && (await this.renew(connection)) !== null;
    if (!isResumed) {
      const until = this.#leaseFromNow();
      const { now, ledger, ...session } = await join(connection, this.self, this.#options.moved);
      this.#session = session;
      this.#ledger = ledger;
      this.#leasedUntil = until;
      this.#setClock(now);
    }
    const story = setback ? storyOf(setback, this.where) : null;
    if (setback && story !== null) await this.#recordSetback(connection, story, setback.fromSeq);
    memory?.begin({ agent: this.self.name, chain: this.#ledger, where: this.where }, story !== null);
    if (story !== null) onWentBack?.(story);
    this.#connection = connection;
    this.#goOn(connection);
    if (before !== null && !isResumed) for (const listener of this.#listeners.fenced) listener();
  }

  /** Remembers the end of the chain after a commit. */
  committed(head: ChainHead): void {
    this.#options.memory?.note(head, []);
  }

  async #recordSetback(connection: Connection, because: string, fromSeq: number): Promise<void> {
    const { agent } = this.session;
    const head = await connection.get<ChainHead>(HEAD, { agent });
    if (head === undefined) throw new Error('the row of this agent is missing');
    await connection.exec('BEGIN');
    try {
      addLine(connection, agent, { entry: { kind: 'restored', because, fromSeq }, at: this.now, head });
      await connection.settled();
      await connection.commit();
    } catch (error) {
      await connection.exec('ROLLBACK').catch(() => {});
      throw error;
    }
  }

  /** The heartbeat. Resolves null if the lease was taken away; the connection must be reopened then. */
  async renew(connection: Connection): Promise<Beat | null> {
    if (!this.#session) return null;
    const until = this.#leaseFromNow();
    const { leaseMs, name } = this.self;
    // The name, too: a database that went back may have given the number to another agent.
    const pulse = (await connection.get<Beat>(RENEW, { ...this.#session, leaseMs, name })) ?? null;
    if (pulse) {
      this.#leasedUntil = until;
      this.#setClock(pulse.now);
    }
    return pulse;
  }

  /** Nobody waits for another connection any more: there will be none. */
  endWaiting(): void {
    this.#isClosed = true;
    this.#goOn(null);
  }

  /** Ends the session, so that others need not wait for its lease. Idempotent. */
  async close(): Promise<void> {
    this.endWaiting();
    const connection = this.#connection;
    this.#connection = null;
    if (connection?.isOpen === true && this.#session !== null)
      await this.#leave(connection, this.#session).catch(() => {});
    await connection?.close();
  }

  async #leave(connection: Connection, { agent, epoch }: Session): Promise<void> {
    const first = agent * CHAIN;
    await connection.exec('BEGIN');
    connection.send(LEAVE, { agent, epoch, first, next: first + CHAIN });
    connection.send(END_LEADS, { agent });
    // What it kept to itself waits for nobody else any more.
    for (const folder of this.folders) connection.send(TELL, { signal: `queue ${folder}` });
    const committed = connection.commit();
    committed.catch(() => {});
    await connection.settled();
    await committed;
  }

  #setClock(ledger: number): void {
    this.#clockAt = { ledger, monotonic: this.#options.clock.monotonic() };
  }

  #goOn(connection: Connection | null): void {
    for (const resolve of this.#waiting) resolve(connection);
    this.#waiting.clear();
  }

  #lost(): ReceiptdError {
    return new ReceiptdError('LEDGER_UNREACHABLE.lost', { where: this.where });
  }

  /** Call before requesting the lease: the database starts it later. */
  #leaseFromNow(): Moment {
    const { leaseMs } = this.self;
    const { clock } = this.#options;
    return { monotonic: clock.monotonic() + leaseMs, wall: clock.now() + leaseMs };
  }
}

/**
 * Begins a session: from now on, what an earlier one of this name still writes is refused.
 * @throws ReceiptdError AGENT_NAME_TAKEN, AGENT_RENAMED
 */
async function join(
  connection: Connection,
  self: Self,
  moved: MovedChain | undefined,
): Promise<Session & { readonly now: number; readonly ledger: string }> {
  const { name, instance, version, leaseMs, isCommand = false } = self;
  await connection.exec('BEGIN');
  try {
    await connection.run(MAKE, { name, ledger: moved?.ledger ?? randomUUID(), hash: NO_HASH });
    const before = await connection.get<{
      readonly instance: string | null;
      readonly host: string;
      readonly ledger: string;
      readonly isLeased: boolean;
    }>(BEFORE, { name });
    if (before === undefined) throw new Error('the row of this agent is missing');
    if (before.isLeased && before.instance !== instance)
      throw new ReceiptdError('AGENT_NAME_TAKEN', { agent: name, host: before.host });
    const former = await connection.get<{ readonly name: string }>(FORMER, { name, instance });
    if (former && before.instance !== instance)
      throw new ReceiptdError('AGENT_RENAMED.inLedger', { former: former.name, agent: name });
    const own = { name, instance, host: hostname(), version, leaseMs, isCommand };
    const row = await connection.get<Session & { seq: number; hash: string; now: number }>(JOIN, own);
    if (row === undefined) throw new Error('the row of this agent is missing');
    const { agent, epoch, seq, hash, now } = row;
    const { ledger } = before;
    if (moved && ledger !== moved.ledger)
      throw new ReceiptdError('MOVE_REFUSED.agentNameTaken', { agent: name });
    if (seq === 0 && moved) putLines(connection, agent, [movedLine(moved.first, agent)]);
    else if (seq === 0) {
      const entry = { kind: 'begun', ledger, because: `Agent ${name} joined the ledger.` } as const;
      addLine(connection, agent, { entry, at: now, head: { seq, hash } });
    }
    // A lead belongs to an epoch.
    connection.send(END_LEADS, { agent });
    await connection.settled();
    await connection.commit();
    return { agent, epoch, now, ledger };
  } catch (error) {
    await connection.settled().catch(() => {});
    await connection.exec('ROLLBACK').catch(() => {});
    throw error;
  }
}

function addLine(
  connection: Connection,
  agent: number,
  { entry, at, head }: { readonly entry: Entry; readonly at: number; readonly head: ChainHead },
): void {
  putLines(connection, agent, chainLines([{ entry, at }], head, agent).rows);
}

/** Lines about no document and no file. */
function putLines(connection: Connection, agent: number, rows: readonly Cells[]): void {
  for (const { seq, entry, hash, personal } of rows) {
    connection.send(ADD_LINES, { agent, seq, entry, hash, personal } as Params);
    connection.send(SET_HEAD, { agent, seq, hash } as Params);
  }
}
