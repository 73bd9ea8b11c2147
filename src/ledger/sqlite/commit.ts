import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import type { JournalEvent, JournalHead } from '../../core/ports/journal.ts';
import { toJournal, type LedgerEvent } from '../events.ts';
import { apply } from './apply.ts';
import { isStoreFailure, storeFailure } from './failure.ts';
import { SET_HEAD } from './sql/journal.ts';
import type { Sql } from './statements.ts';

/** Within a transaction, permanent changes are emitted as events, which become rows and journal entries. */
export interface Transaction extends Sql {
  emit(event: LedgerEvent, at: number): void;
}

/** The store's view of the journal; synchronous, like the commit that the calls belong to. */
export interface CommitJournal {
  /** Durable on return. On an error, nothing was appended. */
  append(events: readonly JournalEvent[]): JournalHead;
  /** Undoes the last append. */
  rewind(): void;
  /** Writes a probe and removes it. @throws the error that prevents writing */
  tryWriting(): void;
  close(): void;
}

/** A write, as the store queues it. */
export interface Operation {
  /** Does the work, again after a rollback if necessary; returns a function that resolves its promise. */
  readonly work: (sql: Transaction) => () => void;
  readonly reject: (error: unknown) => void;
  /** The outcome of a request in progress: tried even if the disk is full. */
  readonly isOutcome: boolean;
  /** Committed in a separate group. */
  readonly isAlone: boolean;
}

/** Turns a group of writes into one transaction, whose events are in the journal before its COMMIT. */
export class GroupCommit {
  readonly #db: DatabaseSyncInstance;
  readonly #path: string;
  readonly #sql: Transaction;
  readonly #journal: CommitJournal;
  readonly #onSynced: ((ms: number) => void) | undefined;
  #events: JournalEvent[] = [];

  constructor(
    db: DatabaseSyncInstance,
    path: string,
    sql: Sql,
    journal: CommitJournal,
    /** Called with how long each commit waited for the disk; milliseconds. */
    onSynced?: (ms: number) => void,
  ) {
    this.#db = db;
    this.#path = path;
    this.#journal = journal;
    this.#onSynced = onSynced;
    this.#sql = {
      ...sql,
      emit: (event, at) => {
        apply(this.#sql, event, at);
        this.#events.push(toJournal(event, at));
      },
    };
  }

  /** One transaction. Returns how to settle each operation; throws the store's own failure. */
  commit(group: readonly Operation[]): (() => void)[] {
    let appended = false;
    this.#events = [];
    try {
      this.#db.exec('BEGIN IMMEDIATE');
      const settle = this.#workOff(group);
      if (this.#events.length > 0) {
        const startedAt = performance.now();
        const { ledger, seq, hash } = this.#journal.append(this.#events);
        appended = true;
        this.#onSynced?.(performance.now() - startedAt);
        this.#sql.run(SET_HEAD, { ledger, seq, hash });
      }
      this.#db.exec('COMMIT');
      return settle;
    } catch (error) {
      this.#rollback();
      if (appended) this.#rewind();
      throw error;
    }
  }

  /** Without savepoints, which cost as much as the work itself. Faults are rare, and then the group is repeated. */
  #workOff(group: readonly Operation[]): (() => void)[] {
    try {
      return group.map(({ work }) => work(this.#sql));
    } catch (error) {
      if (isStoreFailure(error)) throw error;
    }
    this.#sql.rollback('ROLLBACK');
    this.#db.exec('BEGIN IMMEDIATE');
    this.#events = [];
    return group.map((operation) => this.#inSavepoint(operation));
  }

  /** Returns how to settle the operation after COMMIT. */
  #inSavepoint({ work, reject }: Operation): () => void {
    const before = this.#events.length;
    this.#sql.run('SAVEPOINT operation');
    try {
      const resolve = work(this.#sql);
      this.#sql.run('RELEASE operation');
      return resolve;
    } catch (error) {
      if (isStoreFailure(error)) throw error;
      this.#sql.rollback('ROLLBACK TO operation');
      this.#sql.run('RELEASE operation');
      this.#events.length = before;
      return () => reject(error);
    }
  }

  #rewind(): void {
    try {
      this.#journal.rewind();
    } catch {
      // The journal's head is reset anyway, and its next append cuts first. Report the original failure.
    }
  }

  #rollback(): void {
    try {
      this.#sql.rollback('ROLLBACK');
    } catch {
      // Report the original failure.
    }
  }

  /** Changes nothing but reaches the disk. @throws the error that persists */
  tryWriting(): void {
    try {
      this.#journal.tryWriting();
      this.#db.exec('BEGIN IMMEDIATE; UPDATE migrations SET applied_at = applied_at; COMMIT');
    } catch (error) {
      this.#rollback();
      throw storeFailure(error, this.#path, 'written');
    }
  }
}
