import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite';
import { ReceiptdError } from '../../domain/errors.ts';
import { isStoreFailure, storeFailure } from './failure.ts';

export type Params = Readonly<Record<string, string | number | bigint | null>>;

/** Prepared statements, by their text. */
export interface Sql {
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the columns it selects
  get<Row>(text: string, params?: Params): Row | undefined;
  all<Row>(text: string, params?: Params): Row[];
  /** Resolves the number of rows changed. */
  run(text: string, params?: Params): number;
  /** Runs an INSERT; the new row's id. */
  insert(text: string, params: Params): number;
}

interface Operation {
  /** Does the work; returns what resolves its promise. */
  readonly work: (sql: Sql) => () => void;
  readonly reject: (error: unknown) => void;
}

/** Keeps one transaction from blocking the event loop for long. */
const GROUP_LIMIT = 500;
const CLOSE_TIMEOUT_MS = 1_000;

/**
 * The one connection, and its group commit: writes that are queued in one turn of the event loop share one
 * transaction and one sync; their promises settle after COMMIT. Each has a savepoint, so that one at fault
 * rejects alone; when the store itself fails, the whole group rejects and nothing of it stays.
 *
 *   idle ──write──▶ gathering ──next turn──▶ committing ──▶ idle, or gathering if more than a group waits
 *   any ──close──▶ closed, once everything queued is committed
 *
 * Work is synchronous, and a commit never spans turns: what is read between is always committed.
 */
export class Store {
  readonly path: string;
  readonly #db: DatabaseSyncInstance;
  readonly #readOnly: boolean;
  readonly #statements = new Map<string, StatementSyncInstance>();
  readonly #sql: Sql;
  #queue: Operation[] = [];
  #scheduled = false;
  #closed = false;

  constructor(db: DatabaseSyncInstance, path: string, options: { readOnly: boolean }) {
    this.#db = db;
    this.path = path;
    this.#readOnly = options.readOnly;
    this.#sql = {
      get: (text, params = {}) => this.#prepared(text).get(params),
      all: (text, params = {}) => this.#prepared(text).all(params),
      run: (text, params = {}) => this.#prepared(text).run(params).changes,
      insert: (text, params) => Number(this.#prepared(text).run(params).lastInsertRowid),
    };
  }

  /** Runs `work` on committed state. */
  async read<T>(work: (sql: Sql) => T): Promise<T> {
    if (this.#closed) throw this.#refusal('is closed');
    try {
      return work(this.#sql);
    } catch (error) {
      throw storeFailure(error, this.path, 'read');
    }
  }

  /** Runs `work` in the next group, and resolves what it returned once that is durable. */
  async write<T>(work: (sql: Sql) => T): Promise<T> {
    if (this.#closed) throw this.#refusal('is closed');
    if (this.#readOnly) throw this.#refusal('is open for reading only');
    return new Promise<T>((resolve, reject) => {
      const operation = (sql: Sql): (() => void) => {
        const value = work(sql);
        return () => resolve(value);
      };
      this.#queue.push({ work: operation, reject });
      this.#schedule();
    });
  }

  /** Commits what is queued, then closes. Idempotent. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    while (this.#queue.length > 0) this.#commitGroup();
    if (!this.#readOnly) this.#foldLog();
    this.#statements.clear();
    this.#db.close();
  }

  #prepared(text: string): StatementSyncInstance {
    let statement = this.#statements.get(text);
    if (!statement) {
      statement = this.#db.prepare(text);
      this.#statements.set(text, statement);
    }
    return statement;
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      if (this.#queue.length === 0) return;
      this.#commitGroup();
      if (this.#queue.length > 0) this.#schedule();
    });
  }

  #commitGroup(): void {
    const group = this.#queue.splice(0, GROUP_LIMIT);
    let settle: (() => void)[] = [];
    try {
      this.#db.exec('BEGIN IMMEDIATE');
      for (const operation of group) settle.push(this.#inSavepoint(operation));
      this.#db.exec('COMMIT');
    } catch (error) {
      this.#rollback();
      const failure = storeFailure(error, this.path, 'written');
      settle = group.map(
        ({ reject }) =>
          () =>
            reject(failure),
      );
    }
    for (const done of settle) done();
  }

  /** How the operation is to be settled after COMMIT. */
  #inSavepoint({ work, reject }: Operation): () => void {
    this.#sql.run('SAVEPOINT operation');
    try {
      const resolve = work(this.#sql);
      this.#sql.run('RELEASE operation');
      return resolve;
    } catch (error) {
      if (isStoreFailure(error)) throw error;
      this.#sql.run('ROLLBACK TO operation');
      this.#sql.run('RELEASE operation');
      return () => reject(error);
    }
  }

  #rollback(): void {
    try {
      // After some failures (a full disk) SQLite has rolled back by itself.
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
    } catch {
      // The failure that led here is the one to report.
    }
  }

  /** Brings the log into the main file, so that a copy of that one file is the whole ledger. */
  #foldLog(): void {
    try {
      this.#db.exec(`PRAGMA busy_timeout = ${CLOSE_TIMEOUT_MS}; PRAGMA wal_checkpoint(TRUNCATE);`);
    } catch {
      // Everything is durable in the log; the next start reads it from there.
    }
  }

  #refusal(what: string): ReceiptdError {
    return new ReceiptdError('LEDGER_WRITE_FAILED', `The ledger ${this.path} ${what}.`);
  }
}
