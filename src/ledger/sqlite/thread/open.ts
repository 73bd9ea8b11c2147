import { resolve } from 'node:path';
import type { AccountOf } from '../../../core/domain/account.ts';
import type { Clock } from '../../../core/ports/clock.ts';
import type { Ledger } from '../../../core/ports/ledger.ts';
import { WriterLink } from './link.ts';
import type { ThreadData } from './protocol.ts';

export interface BesideOptions extends ThreadData {
  /** The compiled thread program (which calls `serveLedger`), or a thread already started. */
  readonly thread: string | WriterLink;
  readonly clock: Clock;
  /** The account that an endpoint uses, which credential holds refer to; by default one account for all. */
  readonly accountOf?: AccountOf;
  /** The compiled program that checks the ledger; by default the one beside the ledger's code. */
  readonly checkerPath?: string;
  /** Called with how long each commit waited for the disk; milliseconds. */
  readonly onSynced?: (ms: number) => void;
  /** Called with each repair needed before the ledger could be used, in sentences. */
  readonly onMended?: (story: string) => void;
  /** Called once the thread has started: until it has opened the ledger, there is time for other work. */
  readonly meanwhile?: () => void;
}

/**
 * Opens the ledger in a separate thread, the only writer, so that commits never block anything else. Reads run in this
 * thread, on another connection, and see every write whose promise has resolved.
 * @throws ReceiptdError what opening its writer throws (writer.ts); LEDGER_WRITE_FAILED if the thread can't be started
 */
export async function openSqliteLedgerBeside(options: BesideOptions): Promise<Ledger> {
  const { thread, backupsDir, reserve, onSynced = () => {}, onMended = () => {}, meanwhile } = options;
  const path = resolve(options.path);
  const data = { path, ...(backupsDir !== undefined && { backupsDir }), ...(reserve && { reserve }) };
  const link = typeof thread === 'string' ? new WriterLink(thread) : thread;
  const opening = link.open(data, onSynced);
  meanwhile?.();
  // The reading code is loaded while the thread opens the ledger.
  const [opened, { ledgerBeside }] = await Promise.all([opening, import('./beside.ts')]);
  for (const story of opened.mended) onMended(story);
  try {
    return ledgerBeside(link, path, { ...options, backupsDir: opened.backupsDir });
  } catch (error) {
    await link.close();
    throw error;
  }
}
