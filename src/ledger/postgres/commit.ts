import { endpointId } from '../../core/domain/document.ts';
import { ReceiptdError } from '../../core/domain/errors.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { JournalEvent } from '../../core/ports/journal.ts';
import { toJournal } from '../events.ts';
import type { ChainMemory, Issued } from './chainMemory.ts';
import type { Connection } from './connection.ts';
import { isLost, isOfServer } from './failure.ts';
import { ADD_HISTORY, chainOn, SET_HEAD } from './history.ts';
import { Ids } from './ids.ts';
import { inOrder, single, type Operation } from './operations.ts';
import type { Places } from './places.ts';
import { fenced, type Self, type Session } from './session.ts';
import { OpenTransaction, type OwnRow, type Transaction } from './transaction.ts';

/** A group that may or may not be committed: the connection was lost during COMMIT. */
interface Uncertain {
  readonly seq: number;
  readonly hash: string;
  readonly issued: readonly Issued[];
  readonly settle: readonly (() => void)[];
  readonly group: readonly Operation[];
}

/**
 * Blocks others that would fence this agent or add to its chain, but not its own heartbeat, which must not wait for a
 * waiting transaction.
 */
const LOCK_SELF = `
SELECT epoch, head_seq AS seq, head_hash AS hash FROM agents WHERE id = :agentId FOR KEY SHARE`;
const ENTRY = `SELECT hash FROM history WHERE agent_id = :agentId AND seq = :seq AND hash = :hash`;
/** In a fixed order, to avoid deadlocks between agents. */
const LOCK_ENDPOINTS = `
SELECT e.id FROM unnest(:baseUrls::text[], :uids::text[]) AS wanted (base_url, uid)
  JOIN endpoints e ON e.base_url = wanted.base_url AND e.uid = wanted.uid
 ORDER BY e.id FOR NO KEY UPDATE OF e`;

export interface CommitOptions {
  readonly self: Self;
  readonly places: Places;
  readonly clock: Clock;
  readonly memory: ChainMemory | null;
}

/** Turns a group of writes into one transaction, and tracks the group whose COMMIT is uncertain if the connection is lost. */
export class GroupCommit {
  readonly #options: CommitOptions;
  #ids = new Ids();
  #uncertain: Uncertain | null = null;

  constructor(options: CommitOptions) {
    this.#options = options;
  }

  /** The group whose COMMIT is uncertain. */
  get uncertain(): readonly Operation[] | null {
    return this.#uncertain?.group ?? null;
  }

  /** After a failover, the server may give out these ids again. */
  forgetIds(): void {
    this.#ids = new Ids();
  }

  /** One transaction. Resolves how to settle each operation; throws the database's own failure. */
  async commit(
    connection: Connection,
    session: Session,
    group: readonly Operation[],
  ): Promise<readonly (() => void)[]> {
    try {
      // Without savepoints. Faults are rare, and then the group is repeated.
      return await this.#try(connection, session, group, (tx) => workOff(tx, group));
    } catch (error) {
      if (isOfServer(error) || isFenced(error) || this.#uncertain !== null) throw error;
      await rollback(connection);
      return this.#try(connection, session, group, (tx) => oneByOne(tx, group));
    }
  }

  /** A single write, without the store's queue. Rejects with its failure. */
  async commitOne(
    connection: Connection,
    session: Session,
    work: (sql: Transaction) => Promise<void>,
  ): Promise<void> {
    let failure: unknown = null;
    const reject = (error: unknown): void => void (failure ??= error);
    const operation = single(work, { isAlone: true })(() => {}, reject);
    for (const done of await this.commit(connection, session, [operation])) done();
    if (failure !== null) throw failure;
  }

  /** Sends COMMIT with the last statements: the server refuses it by itself if one of them failed. */
  async #try(
    connection: Connection,
    session: Session,
    group: readonly Operation[],
    work: (tx: OpenTransaction) => Promise<readonly (() => void)[]>,
  ): Promise<readonly (() => void)[]> {
    const tx = this.#beginTransaction(connection, session, group);
    let committed: Promise<void> | null = null;
    try {
      const settle = await work(tx);
      tx.flush();
      const own = await tx.own;
      if (own?.epoch !== session.epoch) throw fenced(this.#options.self.name);
      if (tx.events.length > 0) {
        const first = own.seq === 0 ? [this.#begun(session)] : [];
        const { params, head } = chainOn(own, [...first, ...tx.events], session.agentId);
        connection.send(ADD_HISTORY, params);
        connection.send(SET_HEAD, { agentId: session.agentId, ...head });
        this.#uncertain = { ...head, issued: tx.issued, settle, group };
      }
      for (const signal of tx.signals) connection.send(`SELECT pg_notify('receiptd', :signal)`, { signal });
      committed = connection.commit();
      committed.catch(() => {});
      await connection.settled();
      await committed;
      this.#remember();
      this.#uncertain = null;
      return settle;
    } catch (error) {
      const cause = await causeOf(tx, error);
      const failed: unknown = await committed?.catch((failure: unknown) => failure);
      // If the server answered, it has rolled back: nothing is uncertain.
      if (!isLost(cause) && !isLost(failed)) this.#uncertain = null;
      throw cause;
    }
  }

  /** Call once there is a connection again. `lost`: the error for writes that did not go through. */
  async settleUncertain(connection: Connection, session: Session, lost: () => unknown): Promise<void> {
    const uncertain = this.#uncertain;
    if (!uncertain) return;
    const { seq, hash } = uncertain;
    // Not compared with the head: another agent may have added an erasure.
    const entry = await connection.get(ENTRY, { agentId: session.agentId, seq, hash });
    if (entry) this.#remember();
    this.#uncertain = null;
    if (entry) for (const done of uncertain.settle) done();
    else for (const { reject } of uncertain.group) reject(lost());
  }

  #remember(): void {
    if (this.#uncertain) this.#options.memory?.note(this.#uncertain, this.#uncertain.issued);
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
    return new OpenTransaction(connection, session, this.#options.places, this.#ids, own);
  }

  #begun({ chain }: Session): JournalEvent {
    const event = {
      kind: 'begun',
      ledger: chain,
      because: `Agent ${this.#options.self.name} joined the ledger.`,
    } as const;
    return toJournal(event, this.#options.clock.now());
  }
}

/** Runs operations that were requested together; their statements are sent together, too. */
async function workOff(tx: OpenTransaction, group: readonly Operation[]): Promise<readonly (() => void)[]> {
  const settle: (() => void)[] = [];
  for (const batches of inOrder(group)) {
    const ends = await Promise.allSettled(batches.map((operations) => operations[0].run(tx, operations)));
    for (const end of ends) {
      if (end.status === 'rejected') throw end.reason;
      settle.push(...end.value);
    }
  }
  return settle;
}

async function oneByOne(tx: OpenTransaction, group: readonly Operation[]): Promise<readonly (() => void)[]> {
  const settle: (() => void)[] = [];
  for (const operation of group) {
    const { run, reject } = operation;
    const before = tx.events.length;
    await tx.connection.exec('SAVEPOINT operation');
    try {
      const done = await run(tx, [operation]);
      tx.flush();
      await tx.connection.settled();
      await tx.connection.exec('RELEASE operation');
      settle.push(...done);
    } catch (error) {
      const cause = await causeOf(tx, error);
      if (isOfServer(cause)) throw cause;
      await tx.connection.exec('ROLLBACK TO operation; RELEASE operation');
      tx.forget(before);
      settle.push(() => reject(cause));
    }
  }
  return settle;
}

/** The first failure: later statements of the same transaction only report that it was aborted. */
async function causeOf(tx: OpenTransaction, error: unknown): Promise<unknown> {
  const cause = await tx.connection.settled().then(
    () => error,
    (first: unknown) => first,
  );
  if (isOfServer(cause)) return cause;
  const own: unknown = await tx.own.catch((failure: unknown) => failure);
  return isOfServer(own) ? own : cause;
}

export function isFenced(error: unknown): boolean {
  return error instanceof ReceiptdError && error.code === 'AGENT_FENCED';
}

export async function rollback(connection: Connection): Promise<void> {
  if (connection.isOpen) await connection.exec('ROLLBACK').catch(() => {});
}
