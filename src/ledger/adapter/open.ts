import { resolve } from 'node:path';
import type { AccountOf } from '../../core/domain/account.ts';
import type { ReceiptdError } from '../../core/domain/errors.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { Ledger, LedgerUpkeep } from '../../core/ports/ledger.ts';
import type { LedgerReports } from '../../core/ports/ledgerReports.ts';
import { notOpen, openReading } from '../sqlite/openReports.ts';
import { createUpkeep } from '../sqlite/upkeep.ts';
import type { Others } from '../reads/holds.ts';
import { intakeReads } from '../reads/intake.ts';
import { originalReads } from '../reads/originals.ts';
import { pageReads } from '../reads/pages.ts';
import { queueReads } from '../reads/queue.ts';
import { createReports } from '../reads/reports.ts';
import type { View } from '../reads/view.ts';
import { WriterLink } from '../thread/link.ts';
import type { ThreadData } from '../thread/protocol.ts';
import type { Runner } from '../runner.ts';
import { SqliteWriter, type WriterOptions } from '../writer.ts';
import type { Shared } from './shared.ts';
import { Gathering } from './gathering.ts';
import { createWrites } from './writes.ts';

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

interface PortParts {
  readonly view: View;
  readonly clock: Clock;
  readonly accountOf: AccountOf | undefined;
  readonly upkeep: LedgerUpkeep;
  readonly head: LedgerReports['head'];
  readonly closed: () => ReceiptdError;
  readonly nextTurn?: (work: () => void) => void;
  /** The other agents, where there are any. */
  readonly fleet?: Shared;
  readonly others?: Others;
  /** Once everything that was asked is done. */
  readonly close: () => Promise<void>;
}

/** Temporary: today's port over steps and reads. */
export function portOver(runner: Pick<Runner, 'run' | 'storage' | 'blanked'>, parts: PortParts): Ledger {
  const { view, accountOf, clock, head, upkeep, closed, fleet = null, others = null } = parts;
  let isClosed = false;
  const gathering = new Gathering(runner, closed, parts.nextTurn);
  const reports = createReports(view, accountOf, others);
  const intake = intakeReads(view);
  return {
    ...intake,
    ...queueReads(view),
    ...originalReads(view),
    ...pageReads(view),
    ...reports,
    ...createWrites({
      gathering,
      reads: {
        known: intake.known,
        document: reports.document,
        originalsRule: reports.originalsRule,
      },
      blanked: () => runner.blanked(),
      clock,
      view,
      fleet,
    }),
    ...upkeep,
    fleet,
    head,
    storage: runner.storage,
    async close() {
      if (isClosed) return;
      isClosed = true;
      await gathering.close();
      await parts.close();
    },
  };
}
