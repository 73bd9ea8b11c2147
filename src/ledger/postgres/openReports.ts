import type { AccountOf } from '../../domain/account.ts';
import type { LedgerReports } from '../../ports/ledgerReports.ts';
import type { Target } from './connection.ts';

export interface PostgresReportsOptions {
  readonly target: Target;
  /** The agent of this machine, whose folders are shown by their paths alone. */
  readonly agent: string;
  /** Names of shared folders by their absolute path here. */
  readonly shares: ReadonlyMap<string, string>;
  readonly accountOf?: AccountOf;
}

// TODO(pg): to be written on its branch; nothing here may land.
export function openPostgresReports(
  options: PostgresReportsOptions,
): Promise<LedgerReports & { close(): Promise<void> }> {
  throw new Error(`not there yet: ${typeof options}`);
}
