import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { systemClock } from '../../src/system/systemClock.ts';
import { openSqliteLedger } from '../../src/ledger/sqlite/open.ts';
import { messyOffice, type Image } from '../../test/support/messyOffice/plan.ts';
import { recordOffice } from '../../test/support/messyOffice/record.ts';

export interface LongOffice {
  /** Names that nothing else is found by. */
  readonly oldest: string;
  readonly newest: string;
  readonly folder: string;
}

/** A ledger that knows the messy office, so many files of it; its folders are not watched, so that nobody misses them. */
export async function longOffice(path: string, baseUrl: string, size: number): Promise<LongOffice> {
  const office = messyOffice({ size, baseUrl, until: Date.now() });
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const ledger = await openSqliteLedger({ path, clock: systemClock });
  try {
    await recordOffice(ledger, office);
  } finally {
    await ledger.close();
  }
  let [oldest, newest]: [Image | null, Image | null] = [null, null];
  for (const scan of office.scans()) {
    // Of one that was tried more than once no copy came.
    if (scan.kind === 'file' || scan.duplicates || scan.after.length === 1) continue;
    oldest ??= scan;
    newest = scan;
  }
  if (oldest === null || newest === null) throw new Error(`an office of ${size} is too small`);
  return { oldest: oldest.name, newest: newest.name, folder: office.folders['front desk'] };
}
