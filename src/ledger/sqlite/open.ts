import type { AccountOf } from '../../core/domain/account.ts';
import type { Ledger, LedgerStorage } from '../../core/ports/ledger.ts';
import { createAdmin } from './admin.ts';
import { createDisposals } from './disposals.ts';
import { createHolds } from './holds.ts';
import { createIntake } from './intake.ts';
import { createPages } from './pages.ts';
import { createQueue } from './queue.ts';
import { createReports } from './reports.ts';
import { createResults } from './results.ts';
import type { Store } from './store.ts';
import { createUpkeep, type Keeping } from './upkeep.ts';
import { openWriter, type WriterOptions } from './writer.ts';

export { openSqliteReports } from './openReports.ts';

export interface LedgerOptions extends WriterOptions {
  /** The account that an endpoint uses, which credential holds refer to; by default one account for all. */
  readonly accountOf?: AccountOf;
  /** The compiled program that checks the ledger; by default the one beside this file. */
  readonly checkerPath?: string;
}

/** @throws ReceiptdError what opening its writer throws (writer.ts) */
export async function openSqliteLedger(options: LedgerOptions): Promise<Ledger> {
  const { clock, checkerPath, accountOf } = options;
  const { store, trouble, backupsDir, looked: onLooked, close } = openWriter(options);
  const keeping = { clock, backupsDir, onLooked, ...(checkerPath && { checkerPath }) };
  return { ...ledgerOver(store, trouble, keeping, accountOf), close };
}

/** The ledger's operations on a store opened for writing. */
export function ledgerOver(
  store: Store,
  storage: LedgerStorage,
  keeping: Keeping,
  accountOf?: AccountOf,
): Ledger {
  return {
    ...createIntake(store),
    ...createPages(store),
    ...createQueue(store),
    ...createDisposals(store),
    ...createHolds(store, keeping.clock),
    ...createAdmin(store, keeping.clock),
    ...createResults(store),
    ...createReports(store, accountOf),
    ...createUpkeep(store, keeping),
    storage,
    fleet: null,
    close: async () => void (await store.close()),
  };
}
