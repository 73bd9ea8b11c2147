import { ReceiptdError } from '../../domain/errors.ts';
import { endpointId, type EndpointKey } from '../../domain/document.ts';
import type { Clock } from '../../ports/clock.ts';
import type { JournalEvent } from '../../ports/journal.ts';
import { toJournal, type LedgerEvent } from '../events.ts';
import { apply } from './apply.ts';
import type { Connection, Connector } from './connection.ts';
import { isConflict, isLost, isOfServer, ledgerFailure } from './failure.ts';
import { ADD_HISTORY, chainOn, SET_HEAD } from './history.ts';
import { Ids, type IdKind } from './ids.ts';
import type { Places } from './places.ts';
import { Readers } from './readers.ts';
import { fenced, join, leave, renew, type Self, type Session } from './session.ts';
import type { Params, Sql } from './statements.ts';
import type { Trouble } from './trouble.ts';

/** Within a transaction: what changes for good is said as an event, which becomes rows and an entry of the history. */
export interface Transaction extends Sql {
  readonly session: Session;
  readonly places: Places;
  /** Its statements go out at once; what goes wrong fails the transaction. */
  emit(event: LedgerEvent, at: number): void;
  /** Sends without waiting; what goes wrong fails the transaction. */
  send(text: string, params?: Params): void;
  /** A number that no other row of that kind has or will have. */
  nextId(kind: IdKind): Promise<number>;
  /** Other agents are told once this is committed. */
  notify(signal: 'queue' | 'holds' | 'agents'): void;
}

export interface StoreOptions {
  readonly connector: Connector;
  readonly self: Self;
  readonly places: Places;
  readonly clock: Clock;
  readonly trouble: Trouble;
  /** Told how long each commit took; milliseconds. */
  readonly onCommitted?: (ms: number) => void;
}

interface Operation {
  /** Shares its transaction with no other. */
  readonly isAlone: boolean;
  readonly work: (sql: Transaction) => Promise<() => void>;
  /** The endpoint whose row it locks. */
  readonly endpoint: EndpointKey | null;
  readonly reject: (error: unknown) => void;
}

/** Whether it was committed is not known: the connection was lost in between. */
interface Uncertain {
  readonly seq: number;
  readonly hash: string;
  readonly settle: readonly (() => void)[];
  readonly group: readonly Operation[];
}

const GROUP_LIMIT = 200;
const CONFLICT_TRIES = 5;

/** What is written is looked up one by one; a plan that was made while the tables were small is kept while they grow. */
const BY_INDEX = 'SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off';

const LOCK_SELF = `
SELECT epoch, head_seq AS seq, head_hash AS hash FROM agents WHERE id = :agentId FOR NO KEY UPDATE`;
const ENTRY = `SELECT hash FROM history WHERE agent_id = :agentId AND seq = :seq AND hash = :hash`;
/** Looked for first: an INSERT would wait for whoever is changing the row, and that one may be waiting for this. */
const ENSURE_FOLDER = `
INSERT INTO folders (place, path)
SELECT :place, :folder WHERE NOT EXISTS (SELECT FROM folders WHERE place = :place AND path = :folder)
ON CONFLICT (place, path) DO NOTHING`;
const ENSURE_ENDPOINT = `
INSERT INTO endpoints (base_url, uid)
SELECT :baseUrl, :uid WHERE NOT EXISTS (SELECT FROM endpoints WHERE base_url = :baseUrl AND uid = :uid)
ON CONFLICT (base_url, uid) DO NOTHING`;
/** In one order, so that no two agents have what the other waits for. */
const LOCK_ENDPOINTS = `
SELECT e.id FROM unnest(:baseUrls::text[], :uids::text[]) AS wanted (base_url, uid)
  JOIN endpoints e ON e.base_url = wanted.base_url AND e.uid = wanted.uid
 ORDER BY e.id FOR NO KEY UPDATE OF e`;

/**
 * One connection for writing, and its group commit: writes that are asked for while a transaction is under way share the
 * next one; their promises settle after COMMIT. One at fault rejects alone; when the database fails, all of the group do.
 *
 *   away ──connected, session begun or resumed──▶ idle ──write──▶ committing ──▶ idle, or committing what has come meanwhile
 *    ▲                                              │                  │
 *    └──────────────── the connection is lost ──────┴──────────────────┘   (writes are refused with LEDGER_UNREACHABLE)
 *
 * Where the connection is lost while COMMIT was under way, this agent's chain tells afterwards whether it came
 * through. Every transaction locks this agent's row and looks whether its epoch still holds: what a fenced agent writes is
 * refused with AGENT_FENCED, and a new session begins.
 */
export class Store {
  readonly places: Places;
  readonly self: Self;
  readonly #options: StoreOptions;
  readonly #readers: Readers;
  readonly #ids = new Ids();
  readonly #known = new Set<string>();
  readonly #fencedListeners = new Set<() => void>();
  #connection: Connection | null = null;
  #session: Session | null = null;
  #leasedUntil = { monotonic: -Infinity, wall: -Infinity };
  #queue: Operation[] = [];
  #committing: Promise<void> | null = null;
  #uncertain: Uncertain | null = null;
  #isClosed = false;

  constructor(options: StoreOptions) {
    this.#options = options;
    this.places = options.places;
    this.self = options.self;
    this.#readers = new Readers(options.connector, options.self.name);
  }

  /** The name of the place, for sentences. */
  get where(): string {
    return this.#options.connector.where;
  }

  /** @throws ReceiptdError LEDGER_UNREACHABLE while there is none */
  get session(): Session {
    if (!this.#session) throw this.#refusal('has not been reached yet');
    return this.#session;
  }

  /** Whether nobody can have taken this agent's work over, by its own clocks; both, since one of them may stand still. */
  get isLeased(): boolean {
    const { clock } = this.#options;
    const { monotonic, wall } = this.#leasedUntil;
    return this.#session !== null && clock.monotonic() < monotonic && clock.now() < wall;
  }

  /** Calls back when this agent's work was taken over and a new session has begun. */
  onFenced(listener: () => void): void {
    this.#fencedListeners.add(listener);
  }

  /** Takes a new connection into use. @throws ReceiptdError AGENT_NAME_TAKEN, or what the database fails with */
  async begin(connection: Connection): Promise<void> {
    const before = this.#session;
    const startedAt = this.#leaseBegins();
    const resumed = before !== null && (await renew(connection, before, this.self.leaseMs));
    const session = resumed ? before : await join(connection, this.self);
    this.#leaseLasts(startedAt);
    // A transaction that nobody goes on with must not keep this agent's row locked against those who would take its work over.
    const idle = `SET idle_in_transaction_session_timeout = ${this.self.leaseMs}`;
    await connection.exec(`SET receiptd.agent = '${session.agentId}'; ${idle}; ${BY_INDEX}`);
    await this.#settleUncertain(connection, session);
    // Another server may have taken over that lacks the last rows of the one before.
    this.#known.clear();
    this.#session = session;
    this.#connection = connection;
    if (before !== null && !resumed) for (const listener of this.#fencedListeners) listener();
    this.#schedule();
  }

  /** The heartbeat. Resolves false where the lease was taken away; then the connection is to be begun anew. */
  async renew(connection: Connection): Promise<boolean> {
    if (!this.#session) return false;
    const startedAt = this.#leaseBegins();
    if (!(await renew(connection, this.#session, this.self.leaseMs))) return false;
    this.#leaseLasts(startedAt);
    return true;
  }

  /** Runs `work` on committed state. */
  async read<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    const trouble = this.#options.trouble.error();
    if (this.#isClosed) throw this.#closed();
    if (trouble) throw trouble;
    return this.#read(work);
  }

  async #read<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    try {
      return await this.#readers.use(work);
    } catch (error) {
      throw this.#failed(error);
    }
  }

  /**
   * Runs `work` in the next group, and resolves what it returned once that is durable. `endpoint`: whose row it locks
   * (`ENDPOINT_FOR_UPDATE`); those of a group are locked beforehand, in the order that all agents keep to.
   */
  write<T>(work: (sql: Transaction) => Promise<T>, endpoint: EndpointKey | null = null): Promise<T> {
    return this.#write(work, endpoint, false);
  }

  /** The same in a transaction of its own. */
  writeAlone<T>(work: (sql: Transaction) => Promise<T>): Promise<T> {
    return this.#write(work, null, true);
  }

  async #write<T>(
    work: (sql: Transaction) => Promise<T>,
    endpoint: EndpointKey | null,
    isAlone: boolean,
  ): Promise<T> {
    const trouble = this.#options.trouble.error();
    if (this.#isClosed) throw this.#closed();
    if (trouble) throw trouble;
    return new Promise<T>((resolve, reject) => {
      const operation = async (sql: Transaction): Promise<() => void> => {
        const value = await work(sql);
        return () => resolve(value);
      };
      this.#queue.push({ work: operation, endpoint, isAlone, reject });
      this.#schedule();
    });
  }

  /** Rows that others refer to, made outside of any transaction: they do no harm where that fails. */
  async ensureFolder(folder: string): Promise<void> {
    const params = this.places.ofFolder(folder);
    await this.#ensure(`${params.place} ${params.folder}`, ENSURE_FOLDER, params);
  }

  async ensureEndpoint({ baseUrl, uid }: EndpointKey): Promise<void> {
    await this.#ensure(`${baseUrl}#${uid}`, ENSURE_ENDPOINT, { baseUrl, uid });
  }

  /** Commits what is queued, ends the session, closes. Idempotent. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    while (this.#committing !== null) await this.#committing;
    this.#refuseAll(this.#closed());
    for (const { reject } of this.#uncertain?.group ?? []) reject(this.#closed());
    const { trouble } = this.#options;
    trouble.close();
    if (this.#connection && this.#session) await leave(this.#connection, this.#session).catch(() => {});
    await this.#connection?.close();
    await this.#readers.close();
  }

  async #ensure(key: string, text: string, params: Params): Promise<void> {
    if (this.#known.has(key)) return;
    // Also while it closes: what is queued is written yet.
    await this.#read((sql) => sql.run(text, params));
    this.#known.add(key);
  }

  #schedule(): void {
    if (this.#committing !== null || this.#connection === null || this.#queue.length === 0) return;
    this.#committing = this.#commitAll().finally(() => {
      this.#committing = null;
      // Something may have come between the last look and now.
      this.#schedule();
    });
  }

  async #commitAll(): Promise<void> {
    // What is asked for in this turn of the event loop goes together.
    await new Promise(setImmediate);
    while (this.#queue.length > 0 && this.#connection !== null) await this.#commitGroup(this.#connection);
  }

  async #commitGroup(connection: Connection): Promise<void> {
    const alone = this.#queue.findIndex(({ isAlone }) => isAlone);
    const group = this.#queue.splice(0, alone < 0 ? GROUP_LIMIT : Math.min(GROUP_LIMIT, Math.max(1, alone)));
    for (let tries = 1; ; tries += 1) {
      try {
        const settle = await this.#commit(connection, group);
        for (const done of settle) done();
        return;
      } catch (error) {
        await rollback(connection);
        if (isConflict(error) && tries < CONFLICT_TRIES) continue;
        if (this.#uncertain?.group === group) this.#lostConnection(connection, error);
        else this.#groupFailed(connection, group, error);
        return;
      }
    }
  }

  /** One transaction. Resolves how each operation is to be settled; throws what the database itself fails with. */
  async #commit(connection: Connection, group: readonly Operation[]): Promise<(() => void)[]> {
    const session = this.session;
    const startedAt = performance.now();
    const begun = this.#beginTransaction(connection, session, group);
    let work = await this.#workOff(begun, group);
    if (work === null) {
      await rollback(connection);
      const anew = this.#beginTransaction(connection, session, group);
      work = { tx: anew, settle: await this.#oneByOne(anew, group) };
    }
    const { tx, settle } = work;
    await connection.settled();
    const own = await tx.own;
    if (own?.epoch !== session.epoch) throw fenced(this.self.name);
    let head: { readonly seq: number; readonly hash: string } | null = null;
    if (tx.events.length > 0) {
      const first = own.seq === 0 ? [this.#begun(session)] : [];
      const chained = chainOn(own, [...first, ...tx.events], session.agentId);
      connection.send(ADD_HISTORY, chained.params);
      connection.send(SET_HEAD, { agentId: session.agentId, ...chained.head });
      head = chained.head;
    }
    for (const signal of tx.signals) connection.send(`SELECT pg_notify('receiptd', :signal)`, { signal });
    await connection.settled();
    if (head !== null) this.#uncertain = { ...head, settle, group };
    await connection.exec('COMMIT');
    this.#uncertain = null;
    this.#options.onCommitted?.(performance.now() - startedAt);
    return settle;
  }

  #beginTransaction(connection: Connection, session: Session, group: readonly Operation[]): OpenTransaction {
    connection.send('BEGIN');
    const own = connection.get<OwnRow>(LOCK_SELF, { agentId: session.agentId });
    own.catch(() => {});
    const wanted = new Map(
      group.flatMap(({ endpoint }) => (endpoint ? [[endpointId(endpoint), endpoint]] : [])),
    );
    if (wanted.size > 1) {
      const keys = [...wanted.values()];
      const params = { baseUrls: keys.map(({ baseUrl }) => baseUrl), uids: keys.map(({ uid }) => uid) };
      connection.send(LOCK_ENDPOINTS, params);
    }
    return new OpenTransaction(connection, session, this.places, this.#ids, own);
  }

  /** Without savepoints first: rarely one is at fault, and then null, and all is to be done again. */
  async #workOff(
    tx: OpenTransaction,
    group: readonly Operation[],
  ): Promise<{ tx: OpenTransaction; settle: (() => void)[] } | null> {
    const settle: (() => void)[] = [];
    try {
      for (const { work } of group) settle.push(await work(tx));
      await tx.connection.settled();
      return { tx, settle };
    } catch (error) {
      const cause = await causeOf(tx.connection, error);
      if (isOfServer(cause)) throw cause;
      const own: unknown = await tx.own.catch((failure: unknown) => failure);
      if (isOfServer(own)) throw own;
      return null;
    }
  }

  async #oneByOne(tx: OpenTransaction, group: readonly Operation[]): Promise<(() => void)[]> {
    const settle: (() => void)[] = [];
    for (const { work, reject } of group) {
      const before = tx.events.length;
      await tx.connection.exec('SAVEPOINT operation');
      try {
        const done = await work(tx);
        await tx.connection.settled();
        await tx.connection.exec('RELEASE operation');
        settle.push(done);
      } catch (error) {
        const cause = await causeOf(tx.connection, error);
        if (isOfServer(cause)) throw cause;
        await tx.connection.exec('ROLLBACK TO operation; RELEASE operation');
        tx.events.length = before;
        settle.push(() => reject(cause));
      }
    }
    return settle;
  }

  #groupFailed(connection: Connection, group: readonly Operation[], error: unknown): void {
    const isFenced = error instanceof ReceiptdError && error.code === 'AGENT_FENCED';
    const failure = isFenced ? error : this.#failed(error);
    for (const { reject } of group) reject(failure);
    // A new session begins with a new connection.
    if (isFenced || isLost(error) || !connection.isOpen) this.#lostConnection(connection, failure);
  }

  /** Nothing is written until another one is begun. */
  #lostConnection(connection: Connection, error: unknown): void {
    if (this.#connection === connection) this.#connection = null;
    connection.destroy();
    this.#refuseAll(ledgerFailure(error, this.where));
  }

  async #settleUncertain(connection: Connection, session: Session): Promise<void> {
    const uncertain = this.#uncertain;
    if (!uncertain) return;
    const { seq, hash } = uncertain;
    // Not the head: another agent may have added what it erased.
    const entry = await connection.get(ENTRY, { agentId: session.agentId, seq, hash });
    this.#uncertain = null;
    if (entry) for (const done of uncertain.settle) done();
    else for (const { reject } of uncertain.group) reject(this.#refusal('was lost before this was written'));
  }

  #refuseAll(error: unknown): void {
    for (const { reject } of this.#queue.splice(0)) reject(error);
  }

  #failed(error: unknown): unknown {
    if (error instanceof ReceiptdError && !error.code.startsWith('LEDGER_')) return error;
    if (!isOfServer(error) && !(error instanceof ReceiptdError)) return error;
    const failure = ledgerFailure(error, this.where);
    this.#options.trouble.met(failure);
    return failure;
  }

  #begun({ chain }: Session): JournalEvent {
    const event = {
      kind: 'begun',
      ledger: chain,
      because: `Agent ${this.self.name} joined the ledger.`,
    } as const;
    return toJournal(event, this.#options.clock.now());
  }

  #leaseBegins(): { readonly monotonic: number; readonly wall: number } {
    const { clock } = this.#options;
    return { monotonic: clock.monotonic(), wall: clock.now() };
  }

  /** From before it was asked for: the database's begins later. */
  #leaseLasts({ monotonic, wall }: { readonly monotonic: number; readonly wall: number }): void {
    const { leaseMs } = this.self;
    this.#leasedUntil = { monotonic: monotonic + leaseMs, wall: wall + leaseMs };
  }

  #closed(): ReceiptdError {
    return new ReceiptdError('LEDGER_WRITE_FAILED', `The ledger at ${this.where} is closed.`);
  }

  #refusal(what: string): ReceiptdError {
    return new ReceiptdError('LEDGER_UNREACHABLE', `The ledger at ${this.where} ${what}.`);
  }
}

interface OwnRow {
  readonly epoch: number;
  readonly seq: number;
  readonly hash: string;
}

class OpenTransaction implements Transaction {
  readonly connection: Connection;
  readonly session: Session;
  readonly places: Places;
  readonly own: Promise<OwnRow | undefined>;
  readonly events: JournalEvent[] = [];
  readonly signals = new Set<string>();
  readonly #ids: Ids;

  constructor(
    connection: Connection,
    session: Session,
    places: Places,
    ids: Ids,
    own: Promise<OwnRow | undefined>,
  ) {
    this.connection = connection;
    this.session = session;
    this.places = places;
    this.#ids = ids;
    this.own = own;
  }

  get<Row>(text: string, params?: Params): Promise<Row | undefined> {
    return this.connection.get<Row>(text, params);
  }

  all<Row>(text: string, params?: Params): Promise<Row[]> {
    return this.connection.all<Row>(text, params);
  }

  run(text: string, params?: Params): Promise<number> {
    return this.connection.run(text, params);
  }

  send(text: string, params?: Params): void {
    this.connection.send(text, params);
  }

  emit(event: LedgerEvent, at: number): void {
    apply(this, event, at);
    this.events.push(toJournal(event, at));
  }

  nextId(kind: IdKind): Promise<number> {
    return this.#ids.next(this.connection, kind);
  }

  notify(signal: 'queue' | 'holds' | 'agents'): void {
    this.signals.add(signal);
  }
}

/** What failed first: whatever comes behind it in the same transaction is only told that it was aborted. */
async function causeOf(connection: Connection, error: unknown): Promise<unknown> {
  return connection.settled().then(
    () => error,
    (first: unknown) => first,
  );
}

async function rollback(connection: Connection): Promise<void> {
  if (connection.isOpen) await connection.exec('ROLLBACK').catch(() => {});
}
