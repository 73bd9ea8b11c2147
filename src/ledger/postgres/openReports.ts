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
  /** As whom it is read: the folders and holds of this agent are the own ones. */
  readonly agent: string;
  /** Names of shared folders by their absolute path here. */
  readonly shares: ReadonlyMap<string, string>;
  /** Tells what the credentials of which account keep waiting; one account for all where left out. */
  readonly accountOf?: AccountOf;
}

/**
 * Opens the shared ledger for reading, beside running agents or without any: no session, nothing is changed.
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
