import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { ReceiptdError, systemCode } from '../../core/domain/errors.ts';
import type { Clock } from '../../core/ports/clock.ts';
import { NO_HASH, type JournalLine } from '../journal/line.ts';
import type { Connection } from './connection.ts';
import type { SqlParams } from './statements.ts';
import { CHAIN, type Entry } from '../entries.ts';
import type { Cells } from '../schema.ts';
import { chainLines, headOf, lineText, movedLine, type ChainHead, type ChainRow } from './chain.ts';
import type { ChainOf, OwnChain } from './ownChain.ts';
import { findSetback, SetbackPatience, storyOf, type Setback } from './setback.ts';
import { NOW } from './tables.ts';
import { toMessage } from '../../core/domain/why.ts';

/** Identity of this agent. */
export interface Self {
  readonly name: string;
  /** Identifies the state directory: stays the same across restarts, and differs on another machine with the same name. */
  readonly instance: string;
  readonly version: string;
  readonly leaseMs: number;
  /** A command acting for its agent, which is not running: the fleet's record of the agent stays unchanged. */
  readonly isCommand?: boolean;
}

/** This agent's row while it works: every transaction is checked against the epoch. */
export interface AgentSession {
  /** The agent's number. */
  readonly agent: number;
  readonly epoch: number;
}

/** Statements say which index they mean: a plan made for a small table must be right for the large one that it becomes. */
export const BY_INDEX = 'SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off';

/** Conditions on an agent `a`. */
export const IS_RUNNING = `(a.running AND coalesce(a.lease_until > ${NOW}, false))`;
export const IS_SILENT = `(a.running AND a.started_at IS NOT NULL AND coalesce(a.lease_until <= ${NOW}, true))`;

const MAKE = `
INSERT INTO agents (name, ledger, hash) SELECT :name::text, :ledger::text, :hash::text
 WHERE NOT EXISTS (SELECT FROM agents WHERE name = :name) ON CONFLICT (name) DO NOTHING`;

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

/** An agent that the database does not know any more, under its number. */
const MAKE_AGAIN = `
INSERT INTO agents (id, name, ledger, hash, bringing) OVERRIDING SYSTEM VALUE VALUES (:number::integer, :agent::text, :chain::text, :hash::text, true)`;
const TAKE_NUMBER = `INSERT INTO agents (name, ledger, hash) VALUES ('', '', '') RETURNING id AS number`;
const SEEN = 'SELECT seen_at AS "seenAt" FROM agents WHERE name = :name';
const SET_BRINGING = 'UPDATE agents SET bringing = :bringing WHERE name = :name';

const ADD_LINES = `
INSERT INTO chain (agent, seq, entry, hash, personal) VALUES (:agent, :seq, :entry, :hash, :personal)`;
const BEHIND =
  'SELECT entry, hash, personal FROM chain WHERE agent = :agent AND seq > :seq ORDER BY seq LIMIT :most';
const MOST_BEHIND = 1_000;
const NOTHING: ChainHead = { seq: 0, hash: NO_HASH };
export const SET_HEAD = `UPDATE agents SET seq = :seq, hash = :hash WHERE id = :agent`;

/** Another agent, which runs, takes over from `a`. @param own a parameter: the agent that asks */
export function isTakenBy(own: string): string {
  return `EXISTS (SELECT FROM agents b WHERE b.id = a.taken_by AND b.id <> ${own} AND ${IS_RUNNING.replaceAll('a.', 'b.')})`;
}

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

export const TELL = `SELECT pg_notify('receiptd', :signal)`;
/** Those of sessions of the agent that are over. Agents that have the folder may take the lead. */
export const END_LEADS = `
WITH ended AS (DELETE FROM leads l USING agents a WHERE a.id = l.agent AND l.agent = :agent AND l.epoch <> a.epoch RETURNING l.folder)
SELECT pg_notify('receiptd', 'agents ' || folder) FROM ended`;

interface LeaseMoment {
  readonly monotonic: number;
  readonly wall: number;
}
const NEVER: LeaseMoment = { monotonic: -Infinity, wall: -Infinity };

export interface MovedChain {
  readonly ledger: string;
  readonly first: JournalLine;
}

export interface MemberOptions {
  readonly self: Self;
  /** The ledger, for sentences. */
  readonly where: string;
  /** Ids of the shared folders that this agent has. */
  readonly folders: ReadonlySet<number>;
  readonly clock: Clock;
  /** This agent's copy of its chain, on this machine; left out: a database that went back is not noticed. */
  readonly own?: OwnChain | undefined;
  /** Brings the database forward from it, behind an entry. Resolves false if one of its lines can't be recorded. */
  readonly bringForward?: ((bringing: Bringing, fromSeq: number) => Promise<boolean>) | undefined;
  /** The chain of a ledger that is moved here, and its first line; left out: a new agent begins its own. */
  readonly moved?: MovedChain | undefined;
  /** Called if the database turns out to lack entries of this agent. */
  readonly onWentBack?: ((story: string) => void) | undefined;
}

/** The agent while it brings the database forward, before others use its connection. */
export interface Bringing {
  readonly connection: Connection;
  readonly session: AgentSession;
  readonly patience: SetbackPatience;
  /** Call now and then, between transactions. @throws ReceiptdError AGENT_FENCED */
  readonly renew: () => Promise<void>;
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
    back: new Set<() => void | Promise<void>>(),
    beat: new Set<(beat: Beat) => Promise<void>>(),
  };
  #session: AgentSession | null = null;
  /** Names this agent's chain. */
  #ledger = '';
  /** The database's clock when it was last read, by this machine's. */
  #clockAt = { ledger: 0, monotonic: 0 };
  #leasedUntil = NEVER;
  #connection: Connection | null = null;
  readonly #waiting = new Set<(connection: Connection | null) => void>();
  #isClosed = false;
  #storyUntold: string | null = null;

  constructor(options: MemberOptions) {
    this.#options = options;
    ({ self: this.self, where: this.where, folders: this.folders } = options);
  }

  /** @throws ReceiptdError LEDGER_UNREACHABLE before the first session */
  get session(): AgentSession {
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

  /** Calls back each time this agent is connected again, possibly to another server. It is back once all of them are done. */
  onBack(listener: () => void | Promise<void>): void {
    this.#listeners.back.add(listener);
  }

  /** Calls back after each heartbeat, which does not wait for it. If it fails because of the ledger, the connections are opened anew. */
  onBeat(listener: (beat: Beat) => Promise<void>): void {
    this.#listeners.beat.add(listener);
  }

  async beaten(beat: Beat): Promise<void> {
    for (const listener of this.#listeners.beat) await listener(beat);
  }

  async back(): Promise<void> {
    for (const listener of this.#listeners.back) await listener();
  }

  /** Whether a signal about a folder, or an agent, concerns this one. */
  isConcerned(of: string): boolean {
    return of === `agent:${this.self.name}` || this.folders.has(Number(of));
  }

  /** Starts using a new connection. @throws ReceiptdError AGENT_NAME_TAKEN, AGENT_RENAMED, or what the database fails with */
  async begin(connection: Connection): Promise<void> {
    const before = this.#session;
    // A transaction that hangs must not keep this agent's row locked against agents that would take over its work.
    await connection.exec(`SET idle_in_transaction_session_timeout = ${this.self.leaseMs}; ${BY_INDEX}`);
    const { own, clock, onWentBack } = this.#options;
    const { name } = this.self;
    const setback = (own && (await findSetback(connection, own, { name, where: this.where }))) ?? null;
    const isEarlier = setback !== null || (await this.#isEarlier(connection));
    const patience = isEarlier ? await SetbackPatience.from(connection, clock, name) : null;
    // Before anything else says that this agent is here.
    if (setback !== null) await connection.run(SET_BRINGING, { name, bringing: true });
    const isResumed = before !== null && (await this.renew(connection)) !== null;
    if (!isResumed) {
      const until = this.#leaseFromNow();
      const { now, ledger, ...session } = await this.#join(connection, setback);
      this.#session = session;
      this.#ledger = ledger;
      this.#leasedUntil = until;
      this.#setClock(now);
    }
    const renew = async (): Promise<void> => {
      if ((await this.renew(connection)) === null) throw new ReceiptdError('AGENT_FENCED', { agent: name });
    };
    const bringing = patience && { connection, session: this.session, patience, renew };
    if (setback !== null && bringing !== null) await this.#bringForward(bringing, setback);
    await this.#rememberFrom(connection);
    // Nothing new is named or sent before the others have brought back theirs.
    while ((await patience?.wait()) === true) await renew();
    if (this.#storyUntold !== null) onWentBack?.(this.#storyUntold);
    this.#storyUntold = null;
    this.#connection = connection;
    this.#goOn(connection);
  }

  /** Keeps the lines of a commit, each with its line feed. */
  committed(lines: readonly string[], head: ChainHead): void {
    this.#options.own?.append(lines, head);
  }

  /** Whether the database is in a state from before this process's last heartbeat. */
  async #isEarlier(connection: Connection): Promise<boolean> {
    if (this.#session === null) return false;
    const row = await connection.get<{ readonly seenAt: number }>(SEEN, { name: this.self.name });
    return (row?.seenAt ?? 0) < this.#clockAt.ledger;
  }

  async #bringForward(bringing: Bringing, setback: Setback): Promise<void> {
    const { own, bringForward } = this.#options;
    const { connection } = bringing;
    const { agent } = this.session;
    const { fromSeq } = setback;
    const end = own?.end();
    if (setback.isWhole && end) own?.begin(this.#chainOf(), end);
    const isWhole = setback.isWhole && (await bringForward?.(bringing, fromSeq)) === true;
    const keptAs = isWhole ? null : (own?.keepAside() ?? null);
    const because = storyOf({ ...setback, isWhole }, this.where, keptAs);
    const head = await headOf(connection, agent);
    await connection.exec('BEGIN');
    try {
      const entry = {
        kind: 'restored',
        because,
        fromSeq,
        ...(isWhole && { isWhole: true as const }),
      } as const;
      const line = addLine(connection, agent, { entry, at: this.now, head });
      connection.send(SET_BRINGING, { name: this.self.name, bringing: false });
      await connection.settled();
      await connection.commit();
      if (isWhole) own?.append([line.text], line.head);
    } catch (error) {
      await connection.exec('ROLLBACK').catch(() => {});
      throw error;
    }
    this.#storyUntold = because;
  }

  /** Goes on with this agent's copy of its chain, and adds what a crash or a full disk kept out of it. */
  async #rememberFrom(connection: Connection): Promise<void> {
    const { own } = this.#options;
    if (own === undefined) return;
    const { agent } = this.session;
    const head = await headOf(connection, agent);
    const last = own.end();
    const from = last?.chain === this.#ledger ? last : NOTHING;
    const lines = await connection.all<ChainRow>(BEHIND, { agent, seq: from.seq, most: MOST_BEHIND });
    const isAll = lines.length === head.seq - from.seq;
    own.begin(this.#chainOf(), isAll ? from : head);
    if (isAll && lines.length > 0) own.append(lines.map(lineText), head);
  }

  #chainOf(): ChainOf {
    return { agent: this.self.name, number: this.session.agent, chain: this.#ledger, where: this.where };
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

  get isClosed(): boolean {
    return this.#isClosed;
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

  async #leave(connection: Connection, { agent, epoch }: AgentSession): Promise<void> {
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

  async #join(connection: Connection, setback: Setback | null): Promise<Joined> {
    if (setback?.unknown) await makeAgain(connection, setback.unknown);
    return join(connection, this.self, this.#options.moved, setback?.isWhole === true);
  }

  /** Call before requesting the lease: the database starts it later. */
  #leaseFromNow(): LeaseMoment {
    const { leaseMs } = this.self;
    const { clock } = this.#options;
    return { monotonic: clock.monotonic() + leaseMs, wall: clock.now() + leaseMs };
  }
}

interface Joined extends AgentSession {
  readonly now: number;
  /** Names the chain. */
  readonly ledger: string;
}

async function makeAgain(connection: Connection, { agent, number, chain }: ChainOf): Promise<void> {
  // Numbers up to this one are used up, without a right to the sequence: it is not rolled back.
  for (let taken = 0; taken < number;) {
    await connection.exec('BEGIN');
    try {
      taken = (await connection.get<{ readonly number: number }>(TAKE_NUMBER))?.number ?? number;
    } catch (error) {
      // The number of another agent that is back.
      if (systemCode(error) !== '23505') throw error;
    } finally {
      await connection.exec('ROLLBACK').catch(() => {});
    }
  }
  await connection.run(MAKE_AGAIN, { agent, number, chain, hash: NO_HASH });
}

/**
 * Begins a session: from now on, what an earlier one of this name still writes is refused.
 * @throws ReceiptdError AGENT_NAME_TAKEN, AGENT_RENAMED
 */
async function join(
  connection: Connection,
  self: Self,
  moved: MovedChain | undefined,
  hasBegun: boolean,
): Promise<Joined> {
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
    const row = await connection.get<AgentSession & { seq: number; hash: string; now: number }>(JOIN, own);
    if (row === undefined) throw new Error('the row of this agent is missing');
    const { agent, epoch, seq, hash, now } = row;
    const { ledger } = before;
    if (moved && ledger !== moved.ledger)
      throw new ReceiptdError('MOVE_REFUSED.agentNameTaken', { agent: name });
    if (seq === 0 && moved) putLines(connection, agent, [movedLine(moved.first, agent)]);
    else if (seq === 0 && !hasBegun) {
      const entry = {
        kind: 'begun',
        ledger,
        because: toMessage({ is: 'agentJoined', agent: name }),
      } as const;
      addLine(connection, agent, { entry, at: now, head: { seq, hash } });
    }
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

/** @returns the line, with its line feed, and the chain's head */
function addLine(
  connection: Connection,
  agent: number,
  { entry, at, head: before }: { readonly entry: Entry; readonly at: number; readonly head: ChainHead },
): { readonly text: string; readonly head: ChainHead } {
  const { rows, head } = chainLines([{ entry, at }], before, agent);
  putLines(connection, agent, rows);
  return { text: rows.map(lineText).join(''), head };
}

/** Lines about no document and no file. */
function putLines(connection: Connection, agent: number, rows: readonly Cells[]): void {
  for (const { seq, entry, hash, personal } of rows) {
    connection.send(ADD_LINES, { agent, seq, entry, hash, personal } as SqlParams);
    connection.send(SET_HEAD, { agent, seq, hash } as SqlParams);
  }
}
