import type { FleetSignal } from '../../core/ports/fleet.ts';
import type { JournalEvent } from '../../core/ports/journal.ts';
import { toJournal, type LedgerEvent } from '../events.ts';
import { applyAll } from './apply.ts';
import { namedIn, type Issued } from './chainMemory.ts';
import type { Connection } from './connection.ts';
import type { TimedEvent } from './eventSets.ts';
import type { Ids, IdKind } from './ids.ts';
import type { Places } from './places.ts';
import type { Session } from './session.ts';
import type { Params, Sql } from './statements.ts';

/** Within a transaction, permanent changes are emitted as events, which become rows and history entries. */
export interface Transaction extends Sql {
  readonly session: Session;
  readonly places: Places;
  /** Becomes rows before the next query, with all events emitted since; an error fails the transaction. */
  emit(event: LedgerEvent, at: number): void;
  /** Adds to the local memory of this agent, together with the event emitted next. */
  remember(issued: Issued): void;
  /** Sends without waiting; an error fails the transaction. */
  send(text: string, params?: Params): void;
  /** Ids that no other row of that kind has or will have. */
  nextIds(kind: IdKind, count: number): Promise<readonly number[]>;
  /**
   * Notifies other agents once this is committed. `place`: only those that reach it; each notified agent queries the
   * database.
   */
  notify(signal: FleetSignal, place?: string): void;
}

/** This agent's row, locked by the transaction. */
export interface OwnRow {
  readonly epoch: number;
  readonly seq: number;
  readonly hash: string;
}

export class OpenTransaction implements Transaction {
  readonly connection: Connection;
  readonly session: Session;
  readonly places: Places;
  readonly own: Promise<OwnRow | undefined>;
  readonly events: JournalEvent[] = [];
  readonly signals = new Set<string>();
  readonly #ids: Ids;
  #told: TimedEvent[] = [];
  /** With the number of events that came before. */
  #remembered: { readonly issued: Issued; readonly before: number }[] = [];

  constructor(
    connection: Connection,
    session: Session,
    places: Places,
    ids: Ids,
    own: Promise<OwnRow | undefined>,
  ) {
    this.connection = connection;
    this.session = session;
    this.places = places;
    this.#ids = ids;
    this.own = own;
  }

  get<Row>(text: string, params?: Params): Promise<Row | undefined> {
    this.flush();
    return this.connection.get<Row>(text, params);
  }

  all<Row>(text: string, params?: Params): Promise<Row[]> {
    this.flush();
    return this.connection.all<Row>(text, params);
  }

  run(text: string, params?: Params): Promise<number> {
    this.flush();
    return this.connection.run(text, params);
  }

  send(text: string, params?: Params): void {
    this.flush();
    this.connection.send(text, params);
  }

  emit(event: LedgerEvent, at: number): void {
    this.#told.push({ event, at });
    this.events.push(toJournal(event, at));
  }

  remember(issued: Issued): void {
    this.#remembered.push({ issued, before: this.events.length });
  }

  /** What to remember once this is committed. */
  get issued(): Issued[] {
    return [...namedIn(this.events), ...this.#remembered.map(({ issued }) => issued)];
  }

  /** Turns emitted events into rows. */
  flush(): void {
    if (this.#told.length === 0) return;
    const told = this.#told;
    this.#told = [];
    applyAll(this, told);
  }

  /** Drops all events but the first `count`; the caller rolls back their statements. */
  forget(count: number): void {
    this.#told = [];
    this.#remembered = this.#remembered.filter(({ before }) => before < count);
    this.events.length = count;
  }

  nextIds(kind: IdKind, count: number): Promise<readonly number[]> {
    return this.#ids.take(this.connection, kind, count);
  }

  notify(signal: FleetSignal, place?: string): void {
    this.signals.add(place === undefined ? signal : `${signal} ${place}`);
  }
}
