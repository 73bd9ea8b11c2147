import { resolve } from 'node:path';
import type { AccountOf } from '../../../core/domain/account.ts';
import type { Clock } from '../../../core/ports/clock.ts';
import type { Ledger } from '../../../core/ports/ledger.ts';
import { WriterLink } from './link.ts';
import type { ThreadData } from './protocol.ts';

export interface BesideOptions extends ThreadData {
  /** The thread, as it was built (a program that calls `serveLedger`), or started already. */
  readonly thread: string | WriterLink;
  readonly clock: Clock;
  /** Tells what the credentials of which account keep waiting; one account for all where left out. */
  readonly accountOf?: AccountOf;
  /** The compiled program that looks through the ledger; by default the one beside the ledger's code. */
  readonly checkerPath?: string;
  /** Told how long each commit waited for the disk; milliseconds. */
  readonly onSynced?: (ms: number) => void;
  /** Told what had to be mended before the ledger could be used, in sentences. */
  readonly onMended?: (story: string) => void;
  /** Called once the thread has been started: until it has opened the ledger, there is time for other work. */
  readonly meanwhile?: () => void;
}

/**
 * Opens the ledger in a thread of its own, which alone writes: commits keep nothing else waiting. What only reads does so here, on a
 * connection of its own, and sees every write whose promise has resolved.
 * @throws ReceiptdError what opening its writer throws (writer.ts); LEDGER_WRITE_FAILED where the thread can't be started
 */
export async function openSqliteLedgerBeside(options: BesideOptions): Promise<Ledger> {
  const { thread, backupsDir, reserve, onSynced = () => {}, onMended = () => {}, meanwhile } = options;
  const path = resolve(options.path);
  const data = { path, ...(backupsDir !== undefined && { backupsDir }), ...(reserve && { reserve }) };
  const link = typeof thread === 'string' ? new WriterLink(thread) : thread;
  const opening = link.open(data, onSynced);
  meanwhile?.();
  // What reads is loaded while the thread opens the ledger.
  const [opened, { ledgerBeside }] = await Promise.all([opening, import('./beside.ts')]);
  for (const story of opened.mended) onMended(story);
  try {
    return ledgerBeside(link, path, { ...options, backupsDir: opened.backupsDir });
  } catch (error) {
    await link.close();
    throw error;
  }
}
