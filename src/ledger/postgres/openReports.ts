import { DEFAULT_ACCOUNT, type AccountOf } from '../../core/domain/account.ts';
import type { LedgerReports } from '../../core/ports/ledgerReports.ts';
import { Connector, type Target } from './connection.ts';
import { ledgerFailure } from './failure.ts';
import { fleetAgents } from './fleet.ts';
import { requireVersion } from './migrate.ts';
import { Places } from './places.ts';
import { Readers } from './readers.ts';
import type { Reading } from './reading.ts';
import { createReports } from './reports.ts';

export interface PostgresReportsOptions {
  readonly target: Target;
  /** Whose view to read: this agent's folders and holds count as own ones. */
  readonly agent: string;
  /** Names of shared folders, by their absolute path on this machine. */
  readonly shares: ReadonlyMap<string, string>;
  /** The account that an endpoint uses, which credential holds refer to; by default one account for all. */
  readonly accountOf?: AccountOf;
}

/**
 * Opens the shared ledger for reading, with or without running agents: starts no session and changes nothing.
 * @throws ReceiptdError LEDGER_UNREACHABLE, LEDGER_REFUSED, LEDGER_MISSING, LEDGER_OLDER, LEDGER_NEWER
 */
export async function openPostgresReports({
  target,
  agent,
  shares,
  accountOf = DEFAULT_ACCOUNT,
}: PostgresReportsOptions): Promise<LedgerReports & { close(): Promise<void> }> {
  const ledger = await openReading(target, new Places(agent, shares));
  const { places } = ledger;
  const fleet = { agents: () => ledger.read((sql) => fleetAgents(sql, places)) };
  return { ...createReports(ledger, accountOf), fleet, close: () => ledger.close() };
}

/** @throws ReceiptdError as `openPostgresReports` */
export async function openReading(
  target: Target,
  places: Places,
): Promise<Reading & { close(): Promise<void> }> {
  const connector = new Connector(target);
  const readers = new Readers(connector, places.agent);
  const { where } = connector;
  const read: Reading['read'] = async (work) => {
    try {
      return await readers.use(work);
    } catch (error) {
      throw ledgerFailure(error, where);
    }
  };
  try {
    await read((sql) => requireVersion(sql, where));
  } catch (error) {
    await readers.close();
    throw error;
  }
  return { places, read, close: () => readers.close() };
}
