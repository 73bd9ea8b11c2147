import { endpointId, type EndpointKey } from '../../core/domain/document.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { JournalEvent } from '../../core/ports/journal.ts';
import { toJournal } from '../events.ts';
import type { Connection } from './connection.ts';
import { isOfServer } from './failure.ts';
import { ADD_HISTORY, chainOn, SET_HEAD } from './history.ts';
import { Ids } from './ids.ts';
import type { Places } from './places.ts';
import { fenced, type Self, type Session } from './session.ts';
import { OpenTransaction, type OwnRow, type Transaction } from './transaction.ts';

/** A write, as the store queues it. */
export interface Operation {
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

const LOCK_SELF = `
SELECT epoch, head_seq AS seq, head_hash AS hash FROM agents WHERE id = :agentId FOR NO KEY UPDATE`;
const ENTRY = `SELECT hash FROM history WHERE agent_id = :agentId AND seq = :seq AND hash = :hash`;
/** In one order, so that no two agents have what the other waits for. */
const LOCK_ENDPOINTS = `
SELECT e.id FROM unnest(:baseUrls::text[], :uids::text[]) AS wanted (base_url, uid)
  JOIN endpoints e ON e.base_url = wanted.base_url AND e.uid = wanted.uid
 ORDER BY e.id FOR NO KEY UPDATE OF e`;

export interface CommitOptions {
  readonly self: Self;
  readonly places: Places;
  readonly clock: Clock;
}

/** How a group of writes becomes one transaction, and what of it is not known when the connection is lost in between. */
export class GroupCommit {
  readonly #options: CommitOptions;
  #ids = new Ids();
  #uncertain: Uncertain | null = null;

  constructor(options: CommitOptions) {
    this.#options = options;
  }

  /** The group of which it is not known whether it was committed. */
  get uncertain(): readonly Operation[] | null {
    return this.#uncertain?.group ?? null;
  }

  /** A server that took over may give them out once more. */
  forgetIds(): void {
    this.#ids = new Ids();
  }

  /** One transaction. Resolves how each operation is to be settled; throws what the database itself fails with. */
  async commit(
    connection: Connection,
    session: Session,
    group: readonly Operation[],
  ): Promise<readonly (() => void)[]> {
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
    if (own?.epoch !== session.epoch) throw fenced(this.#options.self.name);
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
    await connection.commit();
    this.#uncertain = null;
    return settle;
  }

  /** Once there is a connection again. `lost`: what is told to those that did not come through. */
  async settleUncertain(connection: Connection, session: Session, lost: () => unknown): Promise<void> {
    const uncertain = this.#uncertain;
    if (!uncertain) return;
    const { seq, hash } = uncertain;
    // Not the head: another agent may have added what it erased.
    const entry = await connection.get(ENTRY, { agentId: session.agentId, seq, hash });
    this.#uncertain = null;
    if (entry) for (const done of uncertain.settle) done();
    else for (const { reject } of uncertain.group) reject(lost());
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

  #begun({ chain }: Session): JournalEvent {
    const event = {
      kind: 'begun',
      ledger: chain,
      because: `Agent ${this.#options.self.name} joined the ledger.`,
    } as const;
    return toJournal(event, this.#options.clock.now());
  }
}

/** What failed first: whatever comes behind it in the same transaction is only told that it was aborted. */
async function causeOf(connection: Connection, error: unknown): Promise<unknown> {
  return connection.settled().then(
    () => error,
    (first: unknown) => first,
  );
}

export async function rollback(connection: Connection): Promise<void> {
  if (connection.isOpen) await connection.exec('ROLLBACK').catch(() => {});
}
