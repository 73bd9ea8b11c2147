import type { AccountOf } from '../../core/domain/account.ts';
import type { LedgerReports } from '../../core/ports/ledgerReports.ts';
import { headOf } from '../postgres/chain.ts';
import { Connector, type Target, Readers } from '../postgres/connection.ts';
import { postgresReader } from '../postgres/engine.ts';
import { ledgerFailure } from '../postgres/failure.ts';
import type { Sql } from '../postgres/statements.ts';
import { requireTables } from '../postgres/tables.ts';
import { createReports } from '../reads/reports.ts';
import { View } from '../reads/view.ts';
import { agentsNow, fleetAgents, placesOf } from './fleet.ts';

export interface PostgresReportsOptions {
  readonly target: Target;
  /** Whose view to read: this agent's folders and holds count as own ones. */
  readonly agent: string;
  /** Names of shared folders, by their absolute path on this machine. */
  readonly shares: ReadonlyMap<string, string>;
  readonly accountOf?: AccountOf;
}

const AGENT = 'SELECT id FROM agents WHERE name = :name';

/**
 * Opens the shared ledger for reading, with or without running agents: starts no session and changes nothing.
 * @throws ReceiptdError LEDGER_UNREACHABLE, LEDGER_REFUSED, LEDGER_MISSING, LEDGER_OLDER, LEDGER_NEWER
 */
export async function openPostgresReports({
  target,
  agent: name,
  shares,
  accountOf,
}: PostgresReportsOptions): Promise<LedgerReports & { close(): Promise<void> }> {
  const connector = new Connector(target);
  const { where } = connector;
  const readers = new Readers(connector, name);
  const read = async <T>(work: (sql: Sql) => Promise<T>): Promise<T> => {
    try {
      return await readers.use(work);
    } catch (error) {
      throw ledgerFailure(error, where);
    }
  };
  try {
    const agent = await read(async (sql) => {
      await requireTables(sql, where);
      // An agent that never joined has recorded nothing.
      return (await sql.get<{ readonly id: number }>(AGENT, { name }))?.id ?? 0;
    });
    const places = placesOf(name, shares);
    const view = new View(postgresReader(read), places, () => agent);
    return {
      ...createReports(view, accountOf, () => read(agentsNow)),
      fleet: { agents: () => read((sql) => fleetAgents(sql, places)) },
      head: async () => (agent === 0 ? null : read((sql) => headOf(sql, agent))),
      close: () => readers.close(),
    };
  } catch (error) {
    await readers.close();
    throw error;
  }
}
