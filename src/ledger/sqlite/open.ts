import { resolve } from 'node:path';
import type { Clock } from '../../ports/clock.ts';
import type { Ledger } from '../../ports/ledger.ts';
import type { LedgerReports } from '../../ports/ledgerReports.ts';
import { createAdmin } from './admin.ts';
import { openForReading, openForWriting } from './connection.ts';
import { createHolds } from './holds.ts';
import { createIntake } from './intake.ts';
import { createQueue } from './queue.ts';
import { createReports } from './reports.ts';
import { Store } from './store.ts';

/**
 * Opens the ledger, creates it where there is none, and brings it to the latest version. With `readOnly` it
 * does neither, works beside a writer, and rejects every write with LEDGER_WRITE_FAILED.
 * @throws ReceiptdError STATE_UNWRITABLE, LEDGER_NEWER, LEDGER_DAMAGED; LEDGER_MISSING or FILE_UNREADABLE if `readOnly`
 */
export async function openSqliteLedger(options: {
  readonly path: string;
  readonly clock: Clock;
  readonly readOnly?: boolean;
}): Promise<Ledger> {
  const path = resolve(options.path);
  const readOnly = options.readOnly ?? false;
  const db = readOnly ? openForReading(path) : openForWriting(path, options.clock.now());
  const store = new Store(db, path, { readOnly });
  return {
    ...createIntake(store),
    ...createQueue(store),
    ...createHolds(store),
    ...createAdmin(store),
    ...createReports(store),
    close: () => store.close(),
  };
}

/**
 * Opens an existing ledger for reading, beside a running daemon or without one.
 * @throws ReceiptdError LEDGER_MISSING, FILE_UNREADABLE, LEDGER_NEWER, LEDGER_DAMAGED
 */
export async function openSqliteReports(options: {
  readonly path: string;
}): Promise<LedgerReports & { close(): Promise<void> }> {
  const path = resolve(options.path);
  const store = new Store(openForReading(path), path, { readOnly: true });
  return { ...createReports(store), close: () => store.close() };
}
