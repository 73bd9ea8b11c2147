import { dirname, join, resolve } from 'node:path';
import type { AccountOf } from '../../domain/account.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Ledger, LedgerStorage } from '../../ports/ledger.ts';
import { createAdmin } from './admin.ts';
import { createHolds } from './holds.ts';
import { createIntake } from './intake.ts';
import { markDamaged } from './files.ts';
import { openPair } from './pair.ts';
import { createQueue } from './queue.ts';
import { createReports } from './reports.ts';
import { createResults } from './results.ts';
import { leaveSoundMark } from './soundMark.ts';
import { Store } from './store.ts';
import { Trouble, type ReservedSpace } from './trouble.ts';
import { createUpkeep, type Keeping } from './upkeep.ts';

export { openSqliteReports } from './openReports.ts';

export interface LedgerOptions {
  readonly path: string;
  readonly clock: Clock;
  /** Where backups lie; `backups` beside the ledger when left out. */
  readonly backupsDir?: string;
  /** Space for the outcomes of requests under way when the disk is full. */
  readonly reserve?: ReservedSpace;
  /** Tells what the credentials of which account keep waiting; one account for all where left out. */
  readonly accountOf?: AccountOf;
  /** The compiled program that looks through the ledger; by default the one beside this file. */
  readonly checkerPath?: string;
  /** Turns of the event loop in which writes gather for one commit while there are many; 1 if left out. */
  readonly busyTurns?: number;
  /** Told how long each commit waited for the disk; milliseconds. */
  readonly onSynced?: (ms: number) => void;
  /** Told what had to be mended before the ledger could be used, in sentences. */
  readonly onMended?: (story: string) => void;
}

/**
 * Opens the ledger and its journal for their one writer, creates them where there are none, brings them to the latest
 * version, and mends what is damaged (pair.ts).
 * @throws ReceiptdError STATE_UNWRITABLE, LEDGER_NEWER
 */
export async function openSqliteLedger(options: LedgerOptions): Promise<Ledger> {
  const { clock, reserve = null, onMended = () => {} } = options;
  const path = resolve(options.path);
  const backupsDir = options.backupsDir ?? join(dirname(path), 'backups');
  const { db, journal, ...opened } = openPair({ path, backupsDir, at: clock.now(), onMended });
  const trouble = new Trouble(clock, reserve, (message) => markDamaged(path, message));
  const store = new Store(db, path, {
    journal,
    trouble,
    ...(options.busyTurns !== undefined && { busyTurns: options.busyTurns }),
    ...(options.onSynced && { onSynced: options.onSynced }),
  });
  const { checkerPath, accountOf } = options;
  let lookedAt: number | null = opened.lookedAt;
  const onLooked = (soundAt: number | null): void => void (lookedAt = soundAt);
  return {
    ...ledgerOver(
      store,
      trouble,
      { clock, backupsDir, onLooked, ...(checkerPath && { checkerPath }) },
      accountOf,
    ),
    async close() {
      const isWell = trouble.trouble() === null;
      const isWhole = await store.close();
      if (isWhole && isWell && lookedAt !== null) leaveSoundMark(path, lookedAt, clock.now());
    },
  };
}

/** The ledger's operations on a store that is open for writing. */
export function ledgerOver(
  store: Store,
  storage: LedgerStorage,
  keeping: Keeping,
  accountOf?: AccountOf,
): Ledger {
  return {
    ...createIntake(store),
    ...createQueue(store),
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
