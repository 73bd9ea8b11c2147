import type { Config } from '../../config/config.ts';
import { agentInstance } from '../../state-dir/agentInstance.ts';
import { acquireInstanceLock, type InstanceLock } from '../../state-dir/instanceLock.ts';
import { ledgerMoved, markLedgerMoved } from '../../state-dir/ledgerMoved.ts';
import { prepareStateDir } from '../../state-dir/stateDir.ts';
import { ledgerPath } from '../../state-dir/stateFiles.ts';
import { systemClock } from '../../system/systemClock.ts';
import { mayExist } from '../../system/mayExist.ts';
import { ReceiptdError } from '../../core/domain/errors.ts';
import type { JournalHead } from '../../core/ports/journal.ts';
import type { Log } from '../../core/ports/log.ts';
import { inScratch, misfitFinding } from '../../ledger/sqlite/compare.ts';
import { lastIn, chainIn, compareMoved, endMove, moveJournal } from '../../ledger/fleet/move.ts';
import { Member, type MovedChain } from '../../ledger/fleet/member.ts';
import { Connector, type Connection, type Target } from '../../ledger/postgres/connection.ts';
import { isFromServer, ledgerFailure } from '../../ledger/postgres/failure.ts';
import { prepareTables } from '../../ledger/postgres/tables.ts';
import { journalPathOf } from '../../ledger/sqlite/files.ts';
import { openReading } from '../../ledger/sqlite/openReports.ts';
import { openOwn } from '../ledger.ts';
import { within } from '../../core/domain/why.ts';

export interface MoveOptions {
  readonly target: Target;
  /** Name of this machine's agent in the shared ledger. */
  readonly agent: string;
  readonly version: string;
  /** Reports the current step, and the number of items done so far. */
  readonly onProgress: (step: 'entries' | 'compared', count: number) => void;
  /** Called once everything is there except new work of the running agent, which has to be stopped now. */
  readonly onAgentRuns: () => void;
  /** Stops waiting for that. */
  readonly signal: AbortSignal;
}

export interface MovedLedger {
  readonly where: string;
  readonly agent: string;
  /** How many rows were compared. */
  readonly rows: { readonly documents: number; readonly attempts: number; readonly files: number };
  readonly merged: { readonly twins: number; readonly failed: number; readonly renamed: number };
  /** The last entry of the old journal. */
  readonly head: JournalHead;
}

const LOOK_EVERY_MS = 500;
const LEASE_MS = 15_000;
const SHOWN = 20;
/** What the connection has to say is the command's error. */
const QUIET: Log = { debug() {}, info() {}, warn() {}, error() {} };

/** Session lock of the command that moves a ledger. */
const TRY_LOCK = 'SELECT pg_try_advisory_lock(7267342, hashtext(:ledger)) AS "isMine"';
const OTHER = 'SELECT name FROM agents WHERE ledger = :ledger AND name <> :agent';

/**
 * Moves this machine's SQLite ledger into a shared one: its journal becomes its agent's chain there. The agent can run until the last part. Killing it at
 * any point loses nothing: the next call goes on behind the chain's last line. Null if the move was complete already.
 * @throws ReceiptdError MOVE_REFUSED, MOVE_DIFFERS, or the error of either ledger
 */
export async function moveLedger(config: Config, options: MoveOptions): Promise<MovedLedger | null> {
  const { stateDir } = config;
  const mark = await ledgerMoved(stateDir);
  if (mark?.isComplete === true) return null;
  await prepareStateDir(config);
  let lock = await lockUnlessRunning(stateDir);
  try {
    const connector = new Connector(options.target, { answerWithinMs: 0 });
    const connection = await connector.connect('receiptd ledger migrate');
    try {
      // Opening recovers from a crash, as at every start. Once the move is marked, the journal is what it was compared as.
      if (lock !== null && mark === null) await openedOnce(config);
      const move = await LedgerMove.begin(config, options, connection, connector.where);
      try {
        lock ??= await move.followUntilStopped();
        return await move.complete();
      } finally {
        await move.close();
      }
    } catch (error) {
      // Any other error is about this machine's files.
      throw isFromServer(error) ? ledgerFailure(error, connector.where) : error;
    } finally {
      await connection.close();
    }
  } finally {
    await lock?.release();
  }
}

/** Null while an agent runs. */
async function lockUnlessRunning(stateDir: string): Promise<InstanceLock | null> {
  try {
    return await acquireInstanceLock(stateDir);
  } catch (error) {
    if (error instanceof ReceiptdError && error.code === 'ALREADY_RUNNING') return null;
    throw error;
  }
}

/** @throws ReceiptdError LEDGER_MISSING */
async function openedOnce(config: Config): Promise<void> {
  const path = ledgerPath(config);
  if (!mayExist(path) && !mayExist(journalPathOf(path)))
    throw new ReceiptdError('LEDGER_MISSING.file', { path });
  await (await openOwn(config, { onMended: () => {} })).close();
}

class LedgerMove {
  readonly #config: Config;
  readonly #options: MoveOptions;
  readonly #connection: Connection;
  readonly #where: string;
  readonly #journal: string;
  readonly #chain: MovedChain;
  readonly #agent: Member;

  private constructor(
    config: Config,
    options: MoveOptions,
    connection: Connection,
    where: string,
    chain: MovedChain,
    agent: Member,
  ) {
    this.#config = config;
    this.#options = options;
    this.#connection = connection;
    this.#where = where;
    this.#journal = journalPathOf(ledgerPath(config));
    this.#chain = chain;
    this.#agent = agent;
  }

  static async begin(
    config: Config,
    options: MoveOptions,
    connection: Connection,
    where: string,
  ): Promise<LedgerMove> {
    const { target, agent: name, version } = options;
    const chain = chainIn(journalPathOf(ledgerPath(config)));
    const { ledger } = chain;
    await prepareTables(connection, where);
    const lock = await connection.get<{ readonly isMine: boolean }>(TRY_LOCK, { ledger });
    if (lock?.isMine !== true) throw new ReceiptdError('MOVE_REFUSED.underWay');
    const other = await connection.get<{ readonly name: string }>(OTHER, { ledger, agent: name });
    if (other) throw new ReceiptdError('MOVE_REFUSED.asAnotherAgent', { agent: other.name });
    const agent = new Member({
      target,
      name,
      instance: await agentInstance(config.stateDir),
      version,
      leaseMs: LEASE_MS,
      isCommand: true,
      shares: new Map(),
      clock: systemClock,
      random: Math.random,
      log: QUIET,
      moved: chain,
    });
    const move = new LedgerMove(config, options, connection, where, chain, agent);
    try {
      await agent.start();
      return move;
    } catch (error) {
      await move.close();
      throw error;
    }
  }

  /** Moves what the running agent records, until it has stopped and its lock is acquired. */
  async followUntilStopped(): Promise<InstanceLock> {
    let isTold = false;
    for (;;) {
      // The journal is written first: a commit behind the tables' head may be taken back.
      await this.#follow(this.#committed());
      const lock = await lockUnlessRunning(this.#config.stateDir);
      if (lock !== null) {
        await openedOnce(this.#config);
        return lock;
      }
      if (!isTold) this.#options.onAgentRuns();
      isTold = true;
      await systemClock.sleep(LOOK_EVERY_MS, this.#options.signal);
    }
  }

  /** Under the instance lock, so that the journal no longer changes. */
  async complete(): Promise<MovedLedger> {
    const { agent } = this.#options;
    const { stateDir } = this.#config;
    const { ledger } = this.#chain;
    const [where, journal] = [this.#where, this.#journal];
    await this.#follow(Infinity);
    const head = lastIn(journal);
    const rows = await this.#compare(head.seq);
    await markLedgerMoved(stateDir, { ledger, where, agent, isComplete: false });
    const merged = await endMove({ ledger, lastSeq: head.seq }, this.#agent);
    await markLedgerMoved(stateDir, { ledger, where, agent, isComplete: true });
    return {
      where,
      agent,
      rows,
      merged: merged ?? { twins: 0, failed: 0, renamed: 0 },
      head: { ledger, ...head },
    };
  }

  close(): Promise<void> {
    return this.#agent.close();
  }

  async #follow(upTo: number): Promise<void> {
    const { onProgress } = this.#options;
    await moveJournal(this.#journal, this.#agent, upTo, (count) => onProgress('entries', count));
  }

  #committed(): number {
    const reading = openReading(ledgerPath(this.#config), async () => {});
    try {
      return reading.head().seq;
    } finally {
      reading.close();
    }
  }

  /** @throws ReceiptdError MOVE_DIFFERS */
  async #compare(lastSeq: number): Promise<MovedLedger['rows']> {
    const { agent: name, onProgress } = this.#options;
    const { agent } = this.#agent.session;
    const connection = this.#connection;
    await connection.exec('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const found = await inScratch(this.#config.stateDir, (dir) =>
      compareMoved(this.#journal, connection, { agent, name, lastSeq }, dir, (count) =>
        onProgress('compared', count),
      ),
    );
    await connection.exec('COMMIT');
    const misfits = found.misfits.map(misfitFinding);
    const findings = [...misfits, ...found.differences];
    const count = misfits.length + found.count;
    if (count > 0)
      throw new ReceiptdError('MOVE_DIFFERS', { count, findings: findings.slice(0, SHOWN).map(within) });
    const { documents, attempts, files } = found.rows;
    return { documents, attempts, files };
  }
}
