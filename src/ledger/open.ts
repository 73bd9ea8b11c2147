import { resolve } from 'node:path';
import type { AccountOf } from '../core/domain/account.ts';
import type { Clock } from '../core/ports/clock.ts';
import type { Ledger } from '../core/ports/ledger.ts';
import { notOpen, openReading } from './sqlite/openReports.ts';
import { createUpkeep } from './sqlite/upkeep.ts';
import { WriterLink } from './thread/link.ts';
import type { ThreadData } from './thread/protocol.ts';
import type { Runner } from './runner.ts';
import { SqliteWriter, type WriterOptions } from './writer.ts';
import { portOver } from './port.ts';

interface ReadingOptions {
  /** The account that an endpoint uses, which credential holds refer to; by default one account for all. */
  readonly accountOf?: AccountOf;
  /** The compiled program that checks the ledger; by default the one beside the ledger's code. */
  readonly checkerPath?: string;
}

/** Opens the ledger in this thread. @throws ReceiptdError STATE_UNWRITABLE, LEDGER_NEWER, LEDGER_OLDER */
export async function openSqliteLedger(options: WriterOptions & ReadingOptions): Promise<Ledger> {
  const writer = await SqliteWriter.open(options);
  return ledgerOver(writer, { ...options, path: writer.path, backupsDir: writer.backupsDir });
}

export interface BesideOptions extends ThreadData, ReadingOptions {
  /** The compiled thread program (which calls `serveLedger`), or a thread already started. */
  readonly thread: string | WriterLink;
  readonly clock: Clock;
  readonly onSynced?: (ms: number) => void;
  readonly onMended?: (story: string) => void;
  /** Called once the thread has started: until it has opened the ledger, there is time for other work. */
  readonly meanwhile?: () => void;
}

/**
 * Opens the ledger in a separate thread, the only writer, so that commits never block anything else. Reads run in this thread, on another connection,
 * and see every write whose promise has resolved.
 * @throws ReceiptdError STATE_UNWRITABLE, LEDGER_NEWER, LEDGER_OLDER; LEDGER_WRITE_FAILED if the thread can't be started
 */
export async function openSqliteLedgerBeside(options: BesideOptions): Promise<Ledger> {
  const { thread, backupsDir, reserve, onSynced = () => {}, onMended = () => {}, meanwhile } = options;
  const path = resolve(options.path);
  const link = typeof thread === 'string' ? new WriterLink(thread) : thread;
  const opening = link.open({ path, backupsDir, reserve }, onSynced);
  meanwhile?.();
  const opened = await opening;
  for (const story of opened.mended) onMended(story);
  try {
    return ledgerOver(link, { ...options, path, backupsDir: opened.backupsDir });
  } catch (error) {
    await link.close();
    throw error;
  }
}

function ledgerOver(
  runner: Runner,
  options: ReadingOptions & { readonly path: string; readonly backupsDir: string; readonly clock: Clock },
): Ledger {
  const { path, clock, backupsDir, checkerPath, accountOf } = options;
  const reading = openReading(path, (failure) => runner.readFailed(failure));
  const upkeep = createUpkeep({ path, clock, backupsDir, checkerPath, runner });
  return portOver(runner, {
    view: reading.view,
    clock,
    accountOf,
    upkeep,
    head: async () => reading.head(),
    closed: () => notOpen(path),
    async close() {
      reading.close();
      await runner.close();
    },
  });
}
