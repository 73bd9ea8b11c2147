import fs from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../config/config.ts';
import { acquireInstanceLock, type InstanceLock } from '../../state-dir/instanceLock.ts';
import { ledgerMoved, markLedgerMoved } from '../../state-dir/ledgerMoved.ts';
import { prepareStateDir } from '../../state-dir/stateDir.ts';
import { systemClock } from '../../system/systemClock.ts';
import { ReceiptdError } from '../../core/domain/errors.ts';
import { readJournal } from '../../ledger/journal/journal.ts';
import { Connector, type Connection, type Target } from '../../ledger/postgres/connection.ts';
import { isFromServer, ledgerFailure } from '../../ledger/postgres/failure.ts';
import { compare, type Compared } from '../../ledger/postgres/import/compare.ts';
import { takeEntries } from '../../ledger/postgres/import/entries.ts';
import { finishImport, type Merged } from '../../ledger/postgres/import/finish.ts';
import { takeRows } from '../../ledger/postgres/import/rows.ts';
import type { Source } from '../../ledger/postgres/import/source.ts';
import { beginImport, findImport, type ImportState } from '../../ledger/postgres/import/state.ts';
import { migrate } from '../../ledger/postgres/migrate.ts';
import { journalPathOf } from '../../ledger/sqlite/files.ts';
import { openSource } from '../../ledger/sqlite/openSource.ts';
import type { JournalHead } from '../../core/ports/journal.ts';
import { openOwn } from '../ledger.ts';
import { ledgerPath } from '../../state-dir/stateFiles.ts';

export interface MoveOptions {
  readonly target: Target;
  /** Name of this machine's agent in the shared ledger. */
  readonly agent: string;
  /** Copies the ledger to a new file; works while the agent runs. */
  readonly backup: (target: string) => Promise<JournalHead>;
  /** Reports the current step, and the number of items done so far. */
  readonly onProgress: (step: 'copied' | 'rows' | 'entries' | 'compared', count: number) => void;
  /** Called once everything is copied except new work of the running agent, which has to be stopped now. */
  readonly onAgentRuns: () => void;
  /** Stops waiting for that. */
  readonly signal: AbortSignal;
}

export interface MovedLedger {
  readonly where: string;
  readonly agent: string;
  /** Null if an earlier call had finished comparing before it was killed. */
  readonly compared: Compared | null;
  readonly merged: Merged;
  /** The last entry of the old journal, which the agent's chain names. */
  readonly head: Pick<JournalHead, 'seq' | 'hash'>;
}

/** The copy that rows are imported from; kept until the move is complete, so that a killed move can resume. */
const COPY = 'moving.db';
/** Statement timeout: comparing and upgrading are slow. */
const ANSWER_WITHIN_MS = 10 * 60_000;
const LOOK_EVERY_MS = 500;

/**
 * Moves this machine's SQLite ledger into a shared one; the agent can run until the last step. Killing it at any point
 * loses nothing: the next call resumes. Null if the move was complete already.
 * @throws ReceiptdError MOVE_REFUSED, MOVE_DIFFERS, or the error of either ledger
 */
export async function moveLedger(config: Config, options: MoveOptions): Promise<MovedLedger | null> {
  const { stateDir } = config;
  if ((await ledgerMoved(stateDir))?.isComplete === true) return null;
  await prepareStateDir(config);
  const connector = new Connector(options.target, { answerWithinMs: ANSWER_WITHIN_MS });
  const connection = await connector.connect('receiptd ledger migrate');
  try {
    await migrate(connection, connector.where);
    const move = new Move(config, options, connection, connector.where);
    return await move.run();
  } catch (error) {
    // Any other error is about this machine's files.
    throw isFromServer(error) ? ledgerFailure(error, connector.where) : error;
  } finally {
    await connection.close();
  }
}

class Move {
  readonly #config: Config;
  readonly #options: MoveOptions;
  readonly #connection: Connection;
  readonly #where: string;
  readonly #copy: string;

  constructor(config: Config, options: MoveOptions, connection: Connection, where: string) {
    this.#config = config;
    this.#options = options;
    this.#connection = connection;
    this.#where = where;
    this.#copy = join(config.stateDir, COPY);
  }

  async run(): Promise<MovedLedger> {
    const { ledger } = this.#source().head;
    let state = (await findImport(this.#connection, ledger)) ?? (await this.#begin());
    if (state.agent !== this.#options.agent)
      throw new ReceiptdError('MOVE_REFUSED.asAnotherAgent', { agent: state.agent });
    if (state.part !== null) state = await this.#takeCopy(state);
    const lock = await this.#followUntilStopped(state);
    try {
      return await this.#complete(ledger);
    } finally {
      await lock.release();
    }
  }

  async #begin(): Promise<ImportState> {
    await fs.rm(this.#copy, { force: true });
    await this.#options.backup(this.#copy);
    const copy = openSource(this.#copy);
    try {
      this.#options.onProgress('copied', copy.lastId('documents'));
      return await beginImport(this.#connection, this.#options.agent, copy);
    } finally {
      copy.close();
    }
  }

  async #takeCopy(state: ImportState): Promise<ImportState> {
    const copy = openSource(this.#copy);
    try {
      if (copy.head.ledger !== state.ledger || copy.head.hash !== state.copy.hash)
        throw new ReceiptdError('MOVE_REFUSED.anotherCopy', { path: this.#copy });
      let rows = 0;
      await takeRows(this.#connection, state, copy, (_, count) => {
        rows += count;
        this.#options.onProgress('rows', rows);
      });
    } finally {
      copy.close();
    }
    return this.#stateOf(state.ledger);
  }

  /** Imports the running agent's new entries until it has stopped and its lock is acquired. */
  async #followUntilStopped({ ledger }: ImportState): Promise<InstanceLock> {
    const { stateDir } = this.#config;
    let isTold = false;
    for (;;) {
      await this.#takeEntries(await this.#stateOf(ledger));
      try {
        return await acquireInstanceLock(stateDir);
      } catch (error) {
        if (!(error instanceof ReceiptdError) || error.code !== 'ALREADY_RUNNING') throw error;
      }
      if (!isTold) this.#options.onAgentRuns();
      isTold = true;
      await systemClock.sleep(LOOK_EVERY_MS, this.#options.signal);
    }
  }

  /** Runs under the instance lock, so the ledger no longer changes. */
  async #complete(ledger: string): Promise<MovedLedger> {
    const { stateDir } = this.#config;
    const { agent } = this.#options;
    // Opening recovers from a crash, as at every start.
    await (await openOwn(this.#config, { onMended: () => {} })).close();
    await this.#takeEntries(await this.#stateOf(ledger));
    const state = await this.#stateOf(ledger);
    const source = this.#source();
    try {
      // After completion agents change the shared ledger, so the two can't be compared any more.
      const compared = state.isFinished ? null : await this.#compare(state, source);
      const mark = { ledger, where: this.#where, agent };
      await markLedgerMoved(stateDir, { ...mark, isComplete: false });
      const merged = state.isFinished
        ? { twins: 0, failed: 0, renamed: 0 }
        : await finishImport(this.#connection, state, source, systemClock.now());
      await markLedgerMoved(stateDir, { ...mark, isComplete: true });
      await fs.rm(this.#copy, { force: true });
      return { where: this.#where, agent, compared, merged, head: state.head };
    } finally {
      source.close();
    }
  }

  async #compare(state: ImportState, source: Source): Promise<Compared> {
    let rows = 0;
    const compared = await compare(this.#connection, state, source, (_, count) => {
      rows += count;
      this.#options.onProgress('compared', rows);
    });
    const { findings, moreFindings } = compared;
    const found = findings.length + moreFindings;
    if (found === 0) return compared;
    throw new ReceiptdError('MOVE_DIFFERS', { count: found, findings });
  }

  async #takeEntries(state: ImportState): Promise<void> {
    if (state.isFinished) return;
    const source = this.#source();
    source.close();
    const path = journalPathOf(ledgerPath(this.#config));
    const after = (seq: number) => readJournal(path, Math.max(0, seq));
    const { taken } = await takeEntries(this.#connection, state, after, source.head);
    if (taken > 0) this.#options.onProgress('entries', taken);
  }

  #source(): Source {
    return openSource(ledgerPath(this.#config));
  }

  async #stateOf(ledger: string): Promise<ImportState> {
    const state = await findImport(this.#connection, ledger);
    if (state) return state;
    throw new ReceiptdError('MOVE_REFUSED.dataGone');
  }
}
