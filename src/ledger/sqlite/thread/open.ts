import { resolve } from 'node:path';
import type { AccountOf } from '../../../domain/account.ts';
import { ReceiptdError } from '../../../domain/errors.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Ledger } from '../../../ports/ledger.ts';
import { openForReading } from '../connection.ts';
import { isBusy } from '../failure.ts';
import { createIntake, SKIPPED_BATCH } from '../intake.ts';
import { createQueue } from '../queue.ts';
import { createReports } from '../reports.ts';
import { Store } from '../store.ts';
import { createUpkeep } from '../upkeep.ts';
import { WriterLink } from './link.ts';
import { toData, WRITING, type ThreadData, type Writing } from './protocol.ts';

export interface BesideOptions extends ThreadData {
  /** The thread, as it was built: a program that calls `serveLedger`. */
  readonly program: string;
  readonly clock: Clock;
  /** Tells what the credentials of which account keep waiting; one account for all where left out. */
  readonly accountOf?: AccountOf;
  /** The compiled program that looks through the ledger; by default the one beside this file. */
  readonly checkerPath?: string;
  /** Told how long each commit waited for the disk; milliseconds. */
  readonly onSynced?: (ms: number) => void;
  /** Told what had to be mended before the ledger could be used, in sentences. */
  readonly onMended?: (story: string) => void;
}

/**
 * Opens the ledger in a thread of its own, which alone writes: commits keep nothing else waiting. What only reads does so here, on a
 * connection of its own, and sees every write whose promise has resolved.
 * @throws ReceiptdError what opening its writer throws (writer.ts); LEDGER_WRITE_FAILED where the thread can't be started
 */
export async function openSqliteLedgerBeside(options: BesideOptions): Promise<Ledger> {
  const { program, clock, accountOf, checkerPath, onSynced = () => {}, onMended = () => {} } = options;
  const path = resolve(options.path);
  const { backupsDir, reserve } = options;
  const data = { path, ...(backupsDir !== undefined && { backupsDir }), ...(reserve && { reserve }) };
  const link = new WriterLink(program, data, onSynced);
  const opened = await link.opened();
  for (const story of opened.mended) onMended(story);
  const writing = writingOver(link);
  let reading: Store;
  try {
    reading = new Store(openForReading(path), path, null, (failure) => tellThread(writing, failure));
  } catch (error) {
    await link.close();
    throw error;
  }
  const onLooked = (soundAt: number | null): void => void writing.looked(soundAt).catch(() => {});
  const keeping = { clock, backupsDir: opened.backupsDir, onLooked, ...(checkerPath && { checkerPath }) };
  const { markSkipped, readFailed: _, looked: __, ...port } = writing;
  return {
    ...createIntake(reading),
    ...createQueue(reading),
    ...createReports(reading, accountOf),
    ...createUpkeep(reading, keeping),
    ...port,
    // Thousands of files at once would be copied in one go, while everything else waits.
    async markWatched(folder, skipped, note) {
      for (let start = 0; start < skipped.length; start += SKIPPED_BATCH)
        await markSkipped(skipped.slice(start, start + SKIPPED_BATCH), note);
      await port.markWatched(folder, [], note);
    },
    // A view of a part would take all that it is a part of along.
    recordResult: (result) => port.recordResult({ ...result, payload: Uint8Array.from(result.payload) }),
    storage: link.storage,
    fleet: null,
    async close() {
      await reading.close();
      await link.close();
    },
  };
}

const ASKED: readonly (keyof Writing)[] = [...WRITING, 'markSkipped', 'readFailed', 'looked'];

function writingOver(link: WriterLink): Writing {
  const methods = ASKED.map((method) => [method, (...args: unknown[]) => link.call(method, args)]);
  return Object.fromEntries(methods) as Writing;
}

/** What is damaged here is damaged there. Resolves once the storage says so. */
async function tellThread(writing: Writing, failure: unknown): Promise<void> {
  if (!(failure instanceof ReceiptdError) || isBusy(failure)) return;
  // Without the thread, that is the trouble.
  await writing.readFailed(toData(failure)).catch(() => {});
}
