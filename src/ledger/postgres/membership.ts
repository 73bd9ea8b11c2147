import { ReceiptdError } from '../../core/domain/errors.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { ChainMemory } from './chainMemory.ts';
import type { Connection } from './connection.ts';
import { join, leave, renew, type Pulse, type Self, type Session } from './session.ts';
import { findSetback, type Setback } from './wentBack.ts';

interface Moment {
  readonly monotonic: number;
  readonly wall: number;
}

const NEVER: Moment = { monotonic: -Infinity, wall: -Infinity };

/** How a session begins on a new connection. */
export interface Begun {
  readonly session: Session;
  /** Other agents took over the work of the session before. */
  readonly isFenced: boolean;
  /** What the database has lost. */
  readonly setback: Setback | null;
}

/** This agent's session, resumed on each new connection if its lease allows that, and how long the lease lasts. */
export class Membership {
  readonly #self: Self;
  readonly #where: string;
  readonly #clock: Clock;
  readonly #memory: ChainMemory | null;
  #session: Session | null = null;
  #leasedUntil = NEVER;

  constructor(self: Self, where: string, clock: Clock, memory: ChainMemory | null) {
    this.#self = self;
    this.#where = where;
    this.#clock = clock;
    this.#memory = memory;
  }

  /** @throws ReceiptdError LEDGER_UNREACHABLE before the first session */
  get session(): Session {
    if (this.#session) return this.#session;
    throw new ReceiptdError('LEDGER_UNREACHABLE.notYet', { where: this.#where });
  }

  /** Whether the lease is certain, by both local clocks, since one of them may stand still. */
  get isLeased(): boolean {
    const { monotonic, wall } = this.#leasedUntil;
    return this.#clock.monotonic() < monotonic && this.#clock.now() < wall;
  }

  /** @throws ReceiptdError AGENT_NAME_TAKEN, AGENT_RENAMED */
  async begin(connection: Connection): Promise<Begun> {
    const [before, memory] = [this.#session, this.#memory];
    const setback = memory && (await findSetback(connection, memory, this.#self.name, this.#where));
    if (before !== null && (await this.renew(connection)) !== null)
      return { session: before, isFenced: false, setback };
    const until = this.#leaseFromNow();
    const session = await join(connection, this.#self);
    this.#session = session;
    this.#leasedUntil = until;
    return { session, isFenced: before !== null, setback };
  }

  /** The heartbeat. Resolves null if the lease was taken away; the connection must be reopened then. */
  async renew(connection: Connection): Promise<Pulse | null> {
    if (!this.#session) return null;
    const until = this.#leaseFromNow();
    const pulse = await renew(connection, this.#session, this.#self.leaseMs);
    if (pulse) this.#leasedUntil = until;
    return pulse;
  }

  /** Ends the session; if that fails, others wait for its lease. `places`: those that this agent reached. */
  async leave(connection: Connection, places: readonly string[]): Promise<void> {
    if (this.#session) await leave(connection, this.#session, places).catch(() => {});
  }

  /** Call before requesting the lease: the database starts it later. */
  #leaseFromNow(): Moment {
    const { leaseMs } = this.#self;
    return { monotonic: this.#clock.monotonic() + leaseMs, wall: this.#clock.now() + leaseMs };
  }
}
