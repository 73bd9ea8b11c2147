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

/** Within a transaction: what changes for good is said as an event, which becomes rows and an entry of the history. */
export interface Transaction extends Sql {
  readonly session: Session;
  readonly places: Places;
  /** Becomes rows before whatever is asked next, with all that were emitted since; what goes wrong fails the transaction. */
  emit(event: LedgerEvent, at: number): void;
  /** What this agent is to remember of the event that is emitted next, beside the database. */
  remember(issued: Issued): void;
  /** Sends without waiting; what goes wrong fails the transaction. */
  send(text: string, params?: Params): void;
  /** Numbers that no other row of that kind has or will have. */
  nextIds(kind: IdKind, count: number): Promise<readonly number[]>;
  /** Other agents are told once this is committed. `place`: only those that reach it; each that is told asks the database. */
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
  /** And how many events there were before. */
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

  /** What is to be remembered once this is committed. */
  get issued(): Issued[] {
    return [...namedIn(this.events), ...this.#remembered.map(({ issued }) => issued)];
  }

  /** What was emitted becomes rows. */
  flush(): void {
    if (this.#told.length === 0) return;
    const told = this.#told;
    this.#told = [];
    applyAll(this, told);
  }

  /** Takes back what was emitted since there were `count` events; their statements are rolled back by the caller. */
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
