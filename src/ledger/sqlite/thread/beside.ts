import type { AccountOf } from '../../../core/domain/account.ts';
import { ReceiptdError } from '../../../core/domain/errors.ts';
import type { Ledger } from '../../../core/ports/ledger.ts';
import { Claims, createClaim } from '../claims.ts';
import { openForReading } from '../connection.ts';
import { isBusy } from '../failure.ts';
import { createDisposals } from '../disposals.ts';
import { createIntake, SKIPPED_BATCH } from '../intake.ts';
import { createPages } from '../pages.ts';
import { createQueue } from '../queue.ts';
import { createReports } from '../reports.ts';
import { Store } from '../store.ts';
import { createUpkeep, type Keeping } from '../upkeep.ts';
import type { WriterLink } from './link.ts';
import { toData, WRITING, type Writing } from './protocol.ts';

/** A ledger written by the thread and read here. @throws ReceiptdError what opening for reading throws */
export function ledgerBeside(
  link: WriterLink,
  path: string,
  keeping: Omit<Keeping, 'onLooked'> & { readonly accountOf?: AccountOf },
): Ledger {
  const writing = writingOver(link);
  const reading = new Store(openForReading(path), path, null, (failure) => tellThread(writing, failure));
  const onLooked = (soundAt: number | null): void => void writing.looked(soundAt).catch(() => {});
  const { markSkipped, makeDue, toBacklog, readFailed: _, looked: __, ...port } = writing;
  const claims = new Claims();
  /**
   * Ends the claim only once the change is durable: until then the row still looks due. A caller without a claim ends
   * none: a document that is queued again may be claimed before the answer arrives.
   */
  const ending = async <T>(id: number, change: Promise<T>): Promise<T> => {
    const isClaimed = claims.has(id);
    const value = await change;
    if (isClaimed) claims.drop([id]);
    return value;
  };
  return {
    ...createIntake(reading),
    ...createPages(reading),
    ...createQueue(reading),
    ...createDisposals(reading),
    ...createReports(reading, keeping.accountOf),
    ...createUpkeep(reading, { ...keeping, onLooked }),
    ...port,
    // Claims belong to this process and usually need no commit: the dispatcher requests each one separately and waits for it.
    claim: createClaim(reading, claims, { makeDue, toBacklog }),
    release: async (documentIds) => claims.drop(documentIds),
    async recover(at) {
      claims.dropAll();
      return port.recover(at);
    },
    begin: (id, at, bytes) => ending(id, port.begin(id, at, bytes)),
    postpone: (id, ...how) => ending(id, port.postpone(id, ...how)),
    markLost: (id, ...how) => ending(id, port.markLost(id, ...how)),
    // In batches: copying thousands of files to the thread at once would block everything else.
    async markWatched(folder, skipped, note) {
      for (let start = 0; start < skipped.length; start += SKIPPED_BATCH)
        await markSkipped(skipped.slice(start, start + SKIPPED_BATCH), note);
      await port.markWatched(folder, [], note);
    },
    // Copied: cloning a view would clone the whole buffer that it is part of.
    recordResult: (result) => port.recordResult({ ...result, payload: Uint8Array.from(result.payload) }),
    storage: link.storage,
    fleet: null,
    async close() {
      await reading.close();
      await link.close();
    },
  };
}

const ASKED: readonly (keyof Writing)[] = [
  ...WRITING,
  'makeDue',
  'toBacklog',
  'markSkipped',
  'readFailed',
  'looked',
];

function writingOver(link: WriterLink): Writing {
  const methods = ASKED.map((method) => [method, (...args: unknown[]) => link.call(method, args)]);
  return Object.fromEntries(methods) as Writing;
}

/** Reports to the thread that reading found damage. Resolves once the storage reports it. */
async function tellThread(writing: Writing, failure: unknown): Promise<void> {
  if (!(failure instanceof ReceiptdError) || isBusy(failure)) return;
  // Without the thread, the storage is in trouble already.
  await writing.readFailed(toData(failure)).catch(() => {});
}
