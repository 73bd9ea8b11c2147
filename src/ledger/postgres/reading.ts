import type { Places } from './places.ts';
import type { Sql } from './statements.ts';

/** What reports need from the ledger: an agent's store, or read-only connections. */
export interface Reading {
  readonly places: Places;
  /** Runs `work` on committed state. */
  read<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
}
