import { ReceiptdError } from '../../core/domain/errors.ts';
import type { EndpointKey } from '../../core/domain/document.ts';
import type { Clock } from '../../core/ports/clock.ts';
import { GroupCommit, isFenced, rollback } from './commit.ts';
import type { Connection, Connector } from './connection.ts';
import { isConflict, isGivenUp, isLost, isOfServer, ledgerFailure } from './failure.ts';
import type { ChainMemory } from './chainMemory.ts';
import { Membership } from './membership.ts';
import { batched, single, takeGroup, type Operation, type Requested } from './operations.ts';
import type { Places } from './places.ts';
import { Readers, type ReadOptions } from './readers.ts';
import { ReadTogether } from './readTogether.ts';
import { ReferencedRows } from './referencedRows.ts';
import type { Self } from './session.ts';
import type { Sql } from './statements.ts';
import type { Transaction } from './transaction.ts';
import type { Trouble } from './trouble.ts';
import { reportOf, settleSetback, untilAllHaveTold } from './wentBack.ts';

export interface StoreOptions {
  readonly connector: Connector;
  readonly self: Self;
  readonly places: Places;
  readonly clock: Clock;
  readonly trouble: Trouble;
  /** Local memory of this agent's commits; null: nothing is remembered. */
  readonly memory: ChainMemory | null;
  /** Called if the database turns out to lack remembered commits. */
  readonly onWentBack?: (story: string) => void;
  /** Called with how long each commit took; milliseconds. */
  readonly onCommitted?: (ms: number) => void;
}

const CONFLICT_TRIES = 5;

/** Writes look up single rows, and plans made while the tables were small are kept while they grow: force index scans. */
const BY_INDEX = 'SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off';

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
  /** Name of the database, for sentences. */
  readonly where: string;
  readonly places: Places;
  readonly self: Self;
  readonly membership: Membership;
  readonly rows: ReferencedRows;
  readonly #options: StoreOptions;
  readonly #readers: Readers;
  readonly #commits: GroupCommit;
  readonly #together = new ReadTogether();
  readonly #fencedListeners = new Set<() => void>();
  readonly #backListeners = new Set<() => void>();
  #connection: Connection | null = null;
  #queue: Operation[] = [];
  /** Until the connection is free again: of what is being committed, or of a brief read. */
  #occupied: Promise<void> | null = null;
  #isFencedUntold = false;
  #isClosed = false;

  constructor(options: StoreOptions) {
    this.#options = options;
    this.where = options.connector.where;
    this.places = options.places;
    this.self = options.self;
    this.#commits = new GroupCommit(options);
    this.membership = new Membership(options.self, this.where, options.clock, options.memory);
    this.#readers = new Readers(options.connector, options.self.name);
    // Urgent, and also while closing: queued writes are still committed.
    this.rows = new ReferencedRows(options.places, (work) => this.#read(work, { isUrgent: true }));
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
    const { memory, clock, onWentBack } = this.#options;
    const { session, isFenced, setback } = await this.membership.begin(connection);
    this.#isFencedUntold ||= isFenced;
    // A transaction that hangs must not keep this agent's row locked against agents that would take over its work.
    const idle = `SET idle_in_transaction_session_timeout = ${this.self.leaseMs}`;
    await connection.exec(`SET receiptd.agent = '${session.agentId}'; ${idle}; ${BY_INDEX}`);
    await this.#commits.settleUncertain(
      connection,
      session,
      () => new ReceiptdError('LEDGER_UNREACHABLE.lost', { where: this.where }),
    );
    this.rows.forget();
    this.#commits.forgetIds();
    this.#readers.renew();
    if (setback) {
      await untilAllHaveTold(connection, setback, session.agentId, clock, async () => {
        if (!(await this.membership.renew(connection)))
          throw new ReceiptdError('LEDGER_UNREACHABLE.leaseTaken', { where: this.where });
      });
      await this.#commits.commitOne(connection, session, (sql) =>
        settleSetback(sql, setback, this.where, clock.now()),
      );
      onWentBack?.(reportOf(setback, this.where));
    }
    const remembered = { agent: this.self.name, chain: session.chain, where: this.where };
    memory?.begin(remembered, setback !== null);
    this.#connection = connection;
    if (this.#isFencedUntold) for (const listener of this.#fencedListeners) listener();
    this.#isFencedUntold = false;
    this.#schedule();
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
    while (this.#together.isReading) await this.#occupied;
    const connection = this.#connection;
    if (connection === null || this.#occupied !== null) return this.#read(work);
    let free = (): void => {};
    this.#occupied = new Promise((resolve) => (free = resolve));
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
    return this.#enqueue(single(work, { endpoint }));
  }

  /** Like `write`, in a separate transaction. */
  writeAlone<T>(work: (sql: Transaction) => Promise<T>): Promise<T> {
    return this.#enqueue(single(work, { isAlone: true }));
  }

  /**
   * Combines writes of a group into one batch: `work` gets all items and resolves as many values, in their order. A
   * faulty one rejects alone.
   */
  batch<Item, T>(
    work: (sql: Transaction, items: readonly Item[]) => Promise<readonly T[]>,
    endpointOf: (item: Item) => EndpointKey | null = () => null,
  ): (item: Item) => Promise<T> {
    const requested = batched(work, endpointOf);
    return (item) => this.#enqueue(requested(item));
  }

  async #enqueue<T>(requested: Requested<T>): Promise<T> {
    this.#demandOpen();
    return new Promise<T>((resolve, reject) => {
      this.#queue.push(requested(resolve, reject));
      this.#schedule();
    });
  }

  /** @throws ReceiptdError LEDGER_WRITE_FAILED, or what prevents writes to the database */
  #demandOpen(): void {
    if (this.#isClosed) throw this.#closed();
    const trouble = this.#options.trouble.error();
    if (trouble) throw trouble;
  }

  /** Commits what is queued, ends the session, closes. Idempotent. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    while (this.#occupied !== null) await this.#occupied;
    this.#refuseAll(this.#closed());
    for (const { reject } of this.#commits.uncertain ?? []) reject(this.#closed());
    this.#options.trouble.close();
    this.#together.end();
    if (this.#connection) await this.membership.leave(this.#connection, this.places.reached);
    await this.#connection?.close();
    await this.#readers.close();
    this.#options.memory?.close();
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
    const group = takeGroup(this.#queue);
    for (let tries = 1; ; tries += 1) {
      try {
        const startedAt = performance.now();
        const settle = await this.#commits.commit(connection, this.membership.session, group);
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
    return new ReceiptdError('LEDGER_WRITE_FAILED.sharedClosed', { where: this.where });
  }
}
