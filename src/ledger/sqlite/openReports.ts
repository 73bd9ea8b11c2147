import { resolve } from 'node:path';
import type { AccountOf } from '../../core/domain/account.ts';
import type { LedgerReports } from '../../core/ports/ledgerReports.ts';
import { openForReading } from './connection.ts';
import { createReports } from './reports.ts';
import { Store } from './store.ts';

/**
 * Opens an existing ledger for reading, beside a running daemon or without one.
 * @throws ReceiptdError LEDGER_MISSING, LEDGER_OLDER, FILE_UNREADABLE, LEDGER_NEWER, LEDGER_DAMAGED
 */
export async function openSqliteReports(options: {
  readonly path: string;
  /** The account that an endpoint uses, which credential holds refer to; by default one account for all. */
  readonly accountOf?: AccountOf;
}): Promise<LedgerReports & { close(): Promise<void> }> {
  const path = resolve(options.path);
  const store = new Store(openForReading(path), path, null);
  return { ...createReports(store, options.accountOf), close: async () => void (await store.close()) };
}
