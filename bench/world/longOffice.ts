import type { Ledger } from '../../src/core/ports/ledger.ts';
import { messyOffice, type Image } from '../../test/support/messyOffice/plan.ts';
import { recordOffice } from '../../test/support/messyOffice/record.ts';

export interface LongOffice {
  /** Names that match only one document each. */
  readonly oldest: string;
  readonly newest: string;
  readonly folder: string;
}

/** Records `size` files of the messy office in a ledger and closes it. The folders are not watched, so that no file counts as missing. */
export async function longOffice(
  ledger: Ledger & { close(): Promise<unknown> },
  baseUrl: string,
  size: number,
): Promise<LongOffice> {
  const office = messyOffice({ size, baseUrl, until: Date.now() });
  try {
    await recordOffice(ledger, office);
  } finally {
    await ledger.close();
  }
  let [oldest, newest]: [Image | null, Image | null] = [null, null];
  for (const scan of office.scans()) {
    // Documents with several attempts have no duplicates.
    if (scan.kind === 'file' || scan.duplicates || scan.after.length === 1) continue;
    oldest ??= scan;
    newest = scan;
  }
  if (oldest === null || newest === null) throw new Error(`an office of ${size} is too small`);
  return { oldest: oldest.name, newest: newest.name, folder: office.folders['front desk'] };
}
