import { ReceiptdError } from '../../core/domain/errors.ts';
import type { EndpointKey } from '../../core/domain/document.ts';
import type { Clock } from '../../core/ports/clock.ts';
import { GroupCommit, isFenced, rollback, type Operation } from './commit.ts';
import type { Connection, Connector } from './connection.ts';
import { isConflict, isGivenUp, isLost, isOfServer, ledgerFailure } from './failure.ts';
import type { ChainMemory } from './chainMemory.ts';
import { Lease } from './lease.ts';
import type { Places } from './places.ts';
import { Readers, type ReadOptions } from './readers.ts';
import { ReadTogether } from './readTogether.ts';
import { join, leave, renew, type Pulse, type Self, type Session } from './session.ts';
import type { Params, Sql } from './statements.ts';
import type { Transaction } from './transaction.ts';
import type { Trouble } from './trouble.ts';
import {
  consequencesOf,
  findSetback,
  settleSetback,
  storyOf,
  untilAllHaveTold,
  type Setback,
} from './wentBack.ts';

export interface StoreOptions {
  readonly connector: Connector;
  readonly self: Self;
  readonly places: Places;
  readonly clock: Clock;
  readonly trouble: Trouble;
  /** Local memory of this agent's commits; null: nothing is remembered. */
  readonly memory?: ChainMemory | null;
  /** Called if the database turns out to lack remembered commits. */
  readonly onWentBack?: (story: string) => void;
  /** Called with how long each commit took; milliseconds. */
  readonly onCommitted?: (ms: number) => void;
}

const GROUP_LIMIT = 200;
const CONFLICT_TRIES = 5;

/** Writes look up single rows, and plans made while the tables were small are kept while they grow: force index scans. */
const BY_INDEX = 'SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off';

/** Checks first: an INSERT would wait for a transaction that is changing the row, which may itself wait for this one. */
const ENSURE_FOLDER = `
INSERT INTO folders (place, path)
SELECT :place, :folder WHERE NOT EXISTS (SELECT FROM folders WHERE place = :place AND path = :folder)
ON CONFLICT (place, path) DO NOTHING`;
const ENSURE_ENDPOINT = `
INSERT INTO endpoints (base_url, uid)
SELECT :baseUrl, :uid WHERE NOT EXISTS (SELECT FROM endpoints WHERE base_url = :baseUrl AND uid = :uid)
ON CONFLICT (base_url, uid) DO NOTHING`;

/**
 * One connection for writes, with group commit: writes requested during a transaction share the next one; their
 * promises settle after COMMIT. A faulty write rejects alone; if the database fails, the whole group rejects.
 *
 *   away ──connected, session begun or resumed──▶ idle ──write──▶ committing ──▶ idle, or committing later writes
 *    ▲                                              │                  │
 *    └──────────────── the connection is lost ──────┴──────────────────┘   (writes are refused with LEDGER_UNREACHABLE)
 *
 * If the connection is lost during COMMIT, this agent's chain shows afterwards whether the commit went through. Every
 * transaction locks this agent's row and checks its epoch: writes of a fenced agent are refused with AGENT_FENCED, and
 * a new session begins.
 */
export class Store {
  readonly places: Places;
  readonly self: Self;
  readonly #options: StoreOptions;
  readonly #readers: Readers;
  readonly #commits: GroupCommit;
  readonly #lease: Lease;
  readonly #together = new ReadTogether();
  readonly #known = new Set<string>();
  readonly #fencedListeners = new Set<() => void>();
  readonly #backListeners = new Set<() => void>();
  #connection: Connection | null = null;
  #session: Session | null = null;
  #queue: Operation[] = [];
  /** Until the connection is free again: of what is being committed, or of a brief read. */
  #occupied: Promise<void> | null = null;
  #isReading = false;
  #isFencedUntold = false;
  #isClosed = false;

  constructor(options: StoreOptions) {
    this.#options = options;
    this.places = options.places;
    this.self = options.self;
    const { memory = null } = options;
    this.#commits = new GroupCommit({ ...options, memory });
    this.#lease = new Lease(options.clock, options.self.leaseMs);
    this.#readers = new Readers(options.connector, options.self.name);
  }

  /** Name of the database, for sentences. */
  get where(): string {
    return this.#options.connector.where;
  }

  /** @throws ReceiptdError LEDGER_UNREACHABLE before the first session */
  get session(): Session {
    if (!this.#session) throw this.#refusal('has not been reached yet');
    return this.#session;
  }

  /** Whether the lease is certain, so that nobody can have taken over this agent's work. */
  get isLeased(): boolean {
    return this.#session !== null && this.#lease.isCertain;
  }

  /** Calls back when this agent's work was taken over and a new session has begun. */
  onFenced(listener: () => void): void {
    this.#fencedListeners.add(listener);
  }

  /** Calls back each time the link is back, possibly to another server. */
  onBack(listener: () => void): void {
    this.#backListeners.add(listener);
  }

  /** Notifies listeners that writes go through again. */
  back(): void {
    for (const listener of this.#backListeners) listener();
  }

  /** Starts using a new connection. @throws ReceiptdError AGENT_NAME_TAKEN, or what the database fails with */
  async begin(connection: Connection): Promise<void> {
    const before = this.#session;
    const { memory = null } = this.#options;
    const setback = memory && (await findSetback(connection, memory, this.self.name, this.where));
    const startedAt = this.#lease.begins();
    const resumed = before !== null && (await renew(connection, before, this.self.leaseMs)) !== null;
    const session = resumed ? before : await join(connection, this.self);
    // Set before uncertain writes are settled: their callers must see the session that they belong to.
    this.#session = session;
    this.#isFencedUntold ||= before !== null && !resumed;
    this.#lease.lasts(startedAt);
    // A transaction that hangs must not keep this agent's row locked against agents that would take over its work.
    const idle = `SET idle_in_transaction_session_timeout = ${this.self.leaseMs}`;
    await connection.exec(`SET receiptd.agent = '${session.agentId}'; ${idle}; ${BY_INDEX}`);
    await this.#commits.settleUncertain(connection, session, () =>
      this.#refusal('was lost before this was written'),
    );
    // After a failover, the new server may lack the last rows of the old one.
    this.#known.clear();
    this.#commits.forgetIds();
    this.#readers.renew();
    if (setback) await this.#settle(connection, session, setback);
    const remembered = { agent: this.self.name, chain: session.chain, where: this.where };
    memory?.begin(remembered, setback !== null);
    this.#connection = connection;
    if (this.#isFencedUntold) for (const listener of this.#fencedListeners) listener();
    this.#isFencedUntold = false;
    this.#schedule();
  }

  async #settle(connection: Connection, session: Session, setback: Setback): Promise<void> {
    const { clock, onWentBack } = this.#options;
    await untilAllHaveTold(connection, setback, session.agentId, clock, async () => {
      if (!(await this.renew(connection))) throw this.#refusal('has taken the lease away');
    });
    const run: Operation['run'] = async (sql) => {
      await settleSetback(sql, setback, this.where, clock.now());
      return [];
    };
    let failure: unknown = null;
    const reject = (error: unknown): void => void (failure ??= error);
    await this.#commits.commit(connection, session, [
      { run, isBatched: false, endpoint: null, isAlone: true, reject },
    ]);
    if (failure !== null) throw failure;
    onWentBack?.(`${storyOf(setback, this.where)} ${consequencesOf(setback)}`);
  }

  /** The heartbeat. Resolves null if the lease was taken away; the connection must be reopened then. */
  async renew(connection: Connection): Promise<Pulse | null> {
    if (!this.#session) return null;
    const startedAt = this.#lease.begins();
    const pulse = await renew(connection, this.#session, this.self.leaseMs);
    if (pulse) this.#lease.lasts(startedAt);
    return pulse;
  }

  /** Runs `work` on committed state. */
  async read<T>(work: (sql: Sql) => Promise<T>, options?: ReadOptions): Promise<T> {
    this.#demandOpen();
    return this.#read(work, options);
  }

  /**
   * The same for a read of a few milliseconds. While nothing is being written, it takes the connection for writes, so
   * that an idle agent that compares its folders with the ledger opens no other one, and such reads in a row are one
   * transaction. Writes wait for it.
   */
  async readBriefly<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    this.#demandOpen();
    while (this.#isReading) await this.#occupied;
    const connection = this.#connection;
    if (connection === null || this.#occupied !== null) return this.#read(work);
    let free = (): void => {};
    this.#occupied = new Promise((resolve) => (free = resolve));
    this.#isReading = true;
    this.#together.begin(connection);
    try {
      const found = await work(connection);
      this.#together.pause();
      return found;
    } catch (error) {
      this.#together.end();
      if (isGivenUp(error)) throw ledgerFailure(error, this.where);
      if (!isLost(error)) throw this.#failed(error);
    } finally {
      this.#isReading = false;
      this.#occupied = null;
      free();
      this.#schedule();
    }
    return this.#read(work);
  }

  async #read<T>(work: (sql: Sql) => Promise<T>, options?: ReadOptions): Promise<T> {
    const connection = this.#connection;
    try {
      return await this.#readers.use(work, options);
    } catch (error) {
      // A read that took too long, or began on an earlier connection, says nothing about the current one.
      if (isGivenUp(error) || connection !== this.#connection) throw ledgerFailure(error, this.where);
      throw this.#failed(error);
    }
  }

  /**
   * Runs `work` in the next group; resolves its result once that is durable. `endpoint`: the endpoint whose row it
   * locks (`ENDPOINT_FOR_UPDATE`); a group locks its endpoints in advance, in the order that all agents follow.
   */
  write<T>(work: (sql: Transaction) => Promise<T>, endpoint: EndpointKey | null = null): Promise<T> {
    return this.#write(work, endpoint, false);
  }

  /**
   * Combines writes of a group into one batch: `work` gets all items and resolves as many values, in their order. A
   * faulty one rejects alone.
   */
  batch<Item, T>(
    work: (sql: Transaction, items: readonly Item[]) => Promise<readonly T[]>,
    endpointOf: (item: Item) => EndpointKey | null = () => null,
  ): (item: Item) => Promise<T> {
    const asked = new WeakMap<Operation, { readonly item: Item; readonly resolve: (value: T) => void }>();
    const run: Operation['run'] = async (sql, operations) => {
      const each = operations.flatMap((operation) => asked.get(operation) ?? []);
      const values = await work(
        sql,
        each.map(({ item }) => item),
      );
      return each.map(
        ({ resolve }, at) =>
          () =>
            resolve(values[at] as T),
      );
    };
    return async (item) => {
      this.#demandOpen();
      return new Promise<T>((resolve, reject) => {
        const operation: Operation = {
          run,
          isBatched: true,
          endpoint: endpointOf(item),
          isAlone: false,
          reject,
        };
        asked.set(operation, { item, resolve });
        this.#queue.push(operation);
        this.#schedule();
      });
    };
  }

  /** Like `write`, in a separate transaction. */
  writeAlone<T>(work: (sql: Transaction) => Promise<T>): Promise<T> {
    return this.#write(work, null, true);
  }

  async #write<T>(
    work: (sql: Transaction) => Promise<T>,
    endpoint: EndpointKey | null,
    isAlone: boolean,
  ): Promise<T> {
    this.#demandOpen();
    return new Promise<T>((resolve, reject) => {
      const run: Operation['run'] = async (sql) => {
        const value = await work(sql);
        return [() => resolve(value)];
      };
      this.#queue.push({ run, isBatched: false, endpoint, isAlone, reject });
      this.#schedule();
    });
  }

  /** @throws ReceiptdError LEDGER_WRITE_FAILED, or what prevents writes to the database */
  #demandOpen(): void {
    if (this.#isClosed) throw this.#closed();
    const trouble = this.#options.trouble.error();
    if (trouble) throw trouble;
  }

  /** Creates rows that others refer to, outside of any transaction: unused ones do no harm. */
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
    while (this.#occupied !== null) await this.#occupied;
    this.#refuseAll(this.#closed());
    for (const { reject } of this.#commits.uncertain ?? []) reject(this.#closed());
    const { trouble } = this.#options;
    trouble.close();
    this.#together.end();
    if (this.#connection && this.#session)
      await leave(this.#connection, this.#session, this.places.reached).catch(() => {});
    await this.#connection?.close();
    await this.#readers.close();
    this.#options.memory?.close();
  }

  async #ensure(key: string, text: string, params: Params): Promise<void> {
    if (this.#known.has(key)) return;
    // Urgent, and also while closing: queued writes are still committed.
    await this.#read((sql) => sql.run(text, params), { isUrgent: true });
    this.#known.add(key);
  }

  #schedule(): void {
    if (this.#occupied !== null || this.#connection === null || this.#queue.length === 0) return;
    this.#occupied = this.#commitAll().finally(() => {
      this.#occupied = null;
      // Something may have been queued since the last check.
      this.#schedule();
    });
  }

  async #commitAll(): Promise<void> {
    // Collects everything requested in this turn of the event loop.
    await new Promise(setImmediate);
    this.#together.end();
    while (this.#queue.length > 0 && this.#connection !== null) await this.#commitGroup(this.#connection);
  }

  async #commitGroup(connection: Connection): Promise<void> {
    const alone = this.#queue.findIndex(({ isAlone }) => isAlone);
    const group = this.#queue.splice(0, alone < 0 ? GROUP_LIMIT : Math.min(GROUP_LIMIT, Math.max(1, alone)));
    for (let tries = 1; ; tries += 1) {
      try {
        const startedAt = performance.now();
        const settle = await this.#commits.commit(connection, this.session, group);
        this.#options.onCommitted?.(performance.now() - startedAt);
        for (const done of settle) done();
        return;
      } catch (error) {
        await rollback(connection);
        if (isConflict(error) && tries < CONFLICT_TRIES) continue;
        if (this.#commits.uncertain === group) this.#lostConnection(connection, error);
        else this.#groupFailed(connection, group, error);
        return;
      }
    }
  }

  #groupFailed(connection: Connection, group: readonly Operation[], error: unknown): void {
    const fenced = isFenced(error);
    const failure = fenced ? error : this.#failed(error);
    for (const { reject } of group) reject(failure);
    // A new session needs a new connection.
    if (fenced || isLost(error) || !connection.isOpen) this.#lostConnection(connection, failure);
  }

  /** Rejects all writes until another connection is begun. */
  #lostConnection(connection: Connection, error: unknown): void {
    if (this.#connection === connection) this.#connection = null;
    connection.destroy();
    this.#refuseAll(ledgerFailure(error, this.where));
  }

  #refuseAll(error: unknown): void {
    for (const { reject } of this.#queue.splice(0)) reject(error);
  }

  #failed(error: unknown): unknown {
    if (error instanceof ReceiptdError && error.kind !== 'ledger') return error;
    if (!isOfServer(error) && !(error instanceof ReceiptdError)) return error;
    const failure = ledgerFailure(error, this.where);
    this.#options.trouble.met(failure);
    return failure;
  }

  #closed(): ReceiptdError {
    return new ReceiptdError('LEDGER_WRITE_FAILED', `The ledger at ${this.where} is closed.`);
  }

  #refusal(what: string): ReceiptdError {
    return new ReceiptdError('LEDGER_UNREACHABLE', `The ledger at ${this.where} ${what}.`);
  }
}
