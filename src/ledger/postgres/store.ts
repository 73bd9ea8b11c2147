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
  /** What this agent has committed, beside the database; null: nothing is remembered. */
  readonly memory?: ChainMemory | null;
  /** Told where the database turns out to lack some of that. */
  readonly onWentBack?: (story: string) => void;
  /** Told how long each commit took; milliseconds. */
  readonly onCommitted?: (ms: number) => void;
}

const GROUP_LIMIT = 200;
const CONFLICT_TRIES = 5;

/** What is written is looked up one by one; a plan that was made while the tables were small is kept while they grow. */
const BY_INDEX = 'SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off';

/** Looked for first: an INSERT would wait for anyone who is changing the row, and that one may be waiting for this. */
const ENSURE_FOLDER = `
INSERT INTO folders (place, path)
SELECT :place, :folder WHERE NOT EXISTS (SELECT FROM folders WHERE place = :place AND path = :folder)
ON CONFLICT (place, path) DO NOTHING`;
const ENSURE_ENDPOINT = `
INSERT INTO endpoints (base_url, uid)
SELECT :baseUrl, :uid WHERE NOT EXISTS (SELECT FROM endpoints WHERE base_url = :baseUrl AND uid = :uid)
ON CONFLICT (base_url, uid) DO NOTHING`;

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
  readonly #commits: GroupCommit;
  readonly #lease: Lease;
  readonly #known = new Set<string>();
  readonly #fencedListeners = new Set<() => void>();
  readonly #backListeners = new Set<() => void>();
  #connection: Connection | null = null;
  #session: Session | null = null;
  #queue: Operation[] = [];
  #committing: Promise<void> | null = null;
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

  /** The name of the place, for sentences. */
  get where(): string {
    return this.#options.connector.where;
  }

  /** @throws ReceiptdError LEDGER_UNREACHABLE while there is none */
  get session(): Session {
    if (!this.#session) throw this.#refusal('has not been reached yet');
    return this.#session;
  }

  /** Whether nobody can have taken this agent's work over. */
  get isLeased(): boolean {
    return this.#session !== null && this.#lease.isCertain;
  }

  /** Calls back when this agent's work was taken over and a new session has begun. */
  onFenced(listener: () => void): void {
    this.#fencedListeners.add(listener);
  }

  /** Calls back each time the link is there again, whoever answers now. */
  onBack(listener: () => void): void {
    this.#backListeners.add(listener);
  }

  /** Writes go through again. */
  back(): void {
    for (const listener of this.#backListeners) listener();
  }

  /** Takes a new connection into use. @throws ReceiptdError AGENT_NAME_TAKEN, or what the database fails with */
  async begin(connection: Connection): Promise<void> {
    const before = this.#session;
    const { memory = null } = this.#options;
    const setback = memory && (await findSetback(connection, memory, this.self.name, this.where));
    const startedAt = this.#lease.begins();
    const resumed = before !== null && (await renew(connection, before, this.self.leaseMs)) !== null;
    const session = resumed ? before : await join(connection, this.self);
    // Known before what is uncertain is settled: who hears that it came through has to see under which session.
    this.#session = session;
    this.#isFencedUntold ||= before !== null && !resumed;
    this.#lease.lasts(startedAt);
    // A transaction that nobody goes on with must not keep this agent's row locked against those who would take its work over.
    const idle = `SET idle_in_transaction_session_timeout = ${this.self.leaseMs}`;
    await connection.exec(`SET receiptd.agent = '${session.agentId}'; ${idle}; ${BY_INDEX}`);
    await this.#commits.settleUncertain(connection, session, () =>
      this.#refusal('was lost before this was written'),
    );
    // Another server may have taken over that lacks the last rows of the one before.
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

  /** The heartbeat. Resolves null where the lease was taken away; then the connection is to be restarted. */
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

  async #read<T>(work: (sql: Sql) => Promise<T>, options?: ReadOptions): Promise<T> {
    const connection = this.#connection;
    try {
      return await this.#readers.use(work, options);
    } catch (error) {
      // What took too long, or was asked before the link was recreated, says nothing about it.
      if (isGivenUp(error) || connection !== this.#connection) throw ledgerFailure(error, this.where);
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

  /**
   * Writes that a group does as one batch: `work` gets all of them and resolves as many values, in their order. One at fault
   * rejects alone.
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

  /** The same in a transaction of its own. */
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

  /** @throws ReceiptdError LEDGER_WRITE_FAILED, or what keeps the database from being written */
  #demandOpen(): void {
    if (this.#isClosed) throw this.#closed();
    const trouble = this.#options.trouble.error();
    if (trouble) throw trouble;
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
    for (const { reject } of this.#commits.uncertain ?? []) reject(this.#closed());
    const { trouble } = this.#options;
    trouble.close();
    if (this.#connection && this.#session)
      await leave(this.#connection, this.#session, this.places.reached).catch(() => {});
    await this.#connection?.close();
    await this.#readers.close();
    this.#options.memory?.close();
  }

  async #ensure(key: string, text: string, params: Params): Promise<void> {
    if (this.#known.has(key)) return;
    // Also while it closes: what is queued is written yet.
    await this.#read((sql) => sql.run(text, params), { isUrgent: true });
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
    // A new session begins with a new connection.
    if (fenced || isLost(error) || !connection.isOpen) this.#lostConnection(connection, failure);
  }

  /** Nothing is written until another one is begun. */
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
