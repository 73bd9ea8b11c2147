import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { ReceiptdError } from '../../core/domain/errors.ts';
import { GroupCommit, type CommitJournal, type Operation, type Transaction } from './commit.ts';
import { BUSY_TIMEOUT_MS, rewriteFile } from './connection.ts';
import { storeFailure } from './failure.ts';
import { createSql, type Sql } from './statements.ts';
import type { Trouble } from './trouble.ts';

/** What a writable store needs. */
export interface Writing {
  readonly journal: CommitJournal;
  readonly trouble: Trouble;
  /** Called with how long each commit waited for the disk; milliseconds. */
  readonly onSynced?: (ms: number) => void;
  /** Calls back in the next turn of the event loop; `setImmediate` if left out. */
  readonly nextTurn?: (work: () => void) => void;
}

interface Committing extends Writing {
  readonly commits: GroupCommit;
}

/** Bounds how long one transaction blocks the event loop. */
const GROUP_LIMIT = 500;
const FOLD_TIMEOUT_MS = 100;

/**
 * The only connection, with group commit: writes queued in one turn of the event loop share one transaction and one
 * sync of the journal; their promises settle after COMMIT. A faulty write rejects alone; if the store itself fails, the
 * whole group rejects and is rolled back.
 *
 *   idle ──write──▶ gathering ──next turn──▶ committing ──▶ idle, or gathering if more than a group waits
 *   any ──close──▶ closed, once everything queued is committed
 *
 * The journal is synced before COMMIT, the ledger only now and then. After a crash or power failure, the journal has
 * entries that the ledger lacks; the next start replays them, so that both agree before anything is acted on. Work is
 * synchronous, and a commit never spans turns: reads in between see committed data only.
 */
export class Store {
  readonly path: string;
  readonly #db: DatabaseSyncInstance;
  readonly #writing: Committing | null;
  readonly #onReadFailed: (failure: unknown) => Promise<void> | void;
  readonly #sql: ReturnType<typeof createSql>;
  #queue: Operation[] = [];
  #scheduled = false;
  #closed = false;

  constructor(
    db: DatabaseSyncInstance,
    path: string,
    /** Null for a read-only store. */
    writing: Writing | null,
    /** Called with the error of a failed read before the read rejects. */
    onReadFailed: (failure: unknown) => Promise<void> | void = (failure) =>
      void writing?.trouble.met(failure),
  ) {
    this.#db = db;
    this.path = path;
    this.#onReadFailed = onReadFailed;
    this.#sql = createSql(db);
    this.#writing = null;
    if (writing === null) return;
    const { journal, onSynced } = writing;
    const commits = new GroupCommit(db, path, this.#sql, journal, onSynced);
    this.#writing = { ...writing, commits };
    writing.trouble.watch(() => commits.tryWriting());
  }

  /** Runs `work` on committed state. */
  async read<T>(work: (sql: Sql) => T): Promise<T> {
    if (this.#closed) throw this.#refusal();
    try {
      return work(this.#sql);
    } catch (error) {
      const failure = storeFailure(error, this.path, 'read');
      await this.#onReadFailed(failure);
      throw failure;
    }
  }

  /** Runs `work` in the next group; resolves its result once that is durable. */
  write<T>(work: (sql: Transaction) => T): Promise<T> {
    return this.#enqueue(work);
  }

  /** Like `write`, but in a separate group: for work that must find everything earlier in the journal file. */
  writeAlone<T>(work: (sql: Transaction) => T): Promise<T> {
    return this.#enqueue(work, { isAlone: true });
  }

  /** Like `write`, for the outcome of a request in progress: tried even if the disk is full. */
  writeOutcome<T>(work: (sql: Transaction) => T): Promise<T> {
    return this.#enqueue(work, { isOutcome: true });
  }

  /** For operations on the connection as a whole, such as a backup or a check. */
  use<T>(work: (db: DatabaseSyncInstance) => T): T {
    if (this.#closed) throw this.#refusal();
    return work(this.#db);
  }

  /** Commits what is queued, then closes. Idempotent. @returns whether the main file now contains the whole ledger */
  async close(): Promise<boolean> {
    if (this.#closed) return false;
    this.#closed = true;
    const writing = this.#writing;
    writing?.trouble.close();
    if (writing) while (this.#queue.length > 0) this.#commitGroup(writing);
    const isFolded = writing !== null && this.foldLog();
    this.#sql.forget();
    this.#db.close();
    writing?.journal.close();
    return isFolded;
  }

  async #enqueue<T>(
    work: (sql: Transaction) => T,
    { isOutcome = false, isAlone = false }: { isOutcome?: boolean; isAlone?: boolean } = {},
  ): Promise<T> {
    if (this.#closed) throw this.#refusal();
    const writing = this.#writing;
    if (!writing) throw this.#refusal();
    const trouble = isOutcome ? null : writing.trouble.error();
    if (trouble) throw trouble;
    return new Promise<T>((resolve, reject) => {
      const operation = (sql: Transaction): (() => void) => {
        const value = work(sql);
        return () => resolve(value);
      };
      this.#queue.push({ work: operation, reject, isOutcome, isAlone });
      this.#schedule(writing);
    });
  }

  #schedule(writing: Committing): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    const { nextTurn = setImmediate } = writing;
    nextTurn(() => {
      this.#scheduled = false;
      if (this.#queue.length === 0) return;
      this.#commitGroup(writing);
      if (this.#queue.length > 0) this.#schedule(writing);
    });
  }

  get #groupSize(): number {
    const alone = this.#queue.slice(0, GROUP_LIMIT).findIndex(({ isAlone }) => isAlone);
    if (alone === 0) return 1;
    return alone < 0 ? GROUP_LIMIT : alone;
  }

  #commitGroup({ commits, trouble }: Committing): void {
    const group = this.#queue.splice(0, this.#groupSize);
    let settle: (() => void)[];
    try {
      settle = commits.commit(group);
    } catch (error) {
      const failure = storeFailure(error, this.path, 'written');
      const outcomes = trouble.met(failure) ? group.filter(({ isOutcome }) => isOutcome) : [];
      settle = group.filter((each) => !outcomes.includes(each)).map(rejecting(failure));
      if (outcomes.length > 0) settle.push(...this.#commitInReserve(commits, outcomes));
    }
    for (const done of settle) done();
  }

  /** Commits outcomes of requests in progress into the space that was just released. */
  #commitInReserve(commits: GroupCommit, outcomes: readonly Operation[]): (() => void)[] {
    try {
      return commits.commit(outcomes);
    } catch (error) {
      return outcomes.map(rejecting(storeFailure(error, this.path, 'written')));
    }
  }

  /**
   * Rewrites the file. SQLite overwrites what it deletes, but not the copies that it left in a page when it moved rows to
   * another. False if that is not possible now.
   */
  rewrite(): boolean {
    try {
      rewriteFile(this.#db);
      return true;
    } catch {
      return false;
    }
  }

  /** Folds the WAL into the main file, so that this file is the whole ledger. False while others read it. */
  foldLog(): boolean {
    try {
      // Short timeout, since the caller can try again.
      this.#db.exec(`PRAGMA busy_timeout = ${FOLD_TIMEOUT_MS}`);
      const [row]: Record<string, unknown>[] = this.#db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').all();
      return row?.['busy'] === 0;
    } catch {
      // Everything is durable in the WAL; the next start reads it from there.
      return false;
    } finally {
      this.#db.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    }
  }

  #refusal(): ReceiptdError {
    return new ReceiptdError('LEDGER_WRITE_FAILED.notOpen', { path: this.path, isClosed: this.#closed });
  }
}

function rejecting(failure: unknown): (operation: Operation) => () => void {
  return ({ reject }) =>
    () =>
      reject(failure);
}
