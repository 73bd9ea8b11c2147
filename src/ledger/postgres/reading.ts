import type { Places } from './places.ts';
import type { Sql } from './statements.ts';

/** What reports need of the ledger: the store of an agent, or connections that only read. */
export interface Reading {
  readonly places: Places;
  /** Runs `work` on committed state. */
  read<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
}
