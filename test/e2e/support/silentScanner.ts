/** The past of a scanner that falls silent, and a clock that makes its silence short. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { openSqliteLedger } from '../../../src/ledger/open.ts';
import { systemClock } from '../../../src/system/systemClock.ts';
import { note, seen } from '../../contract/ledger/support.ts';

/** To be loaded into the program; see there. */
export const OWN_TIME = new URL('ownTime.mjs', import.meta.url);

const MINUTE_MS = 60_000;

/** Records scans of the last week, one every 20 minutes. All hours count as working hours, whenever the test runs. */
export async function scannedDayAndNight(stateDir: string, folder: string): Promise<void> {
  await mkdir(stateDir, { mode: 0o700 });
  const ledger = await openSqliteLedger({ path: join(stateDir, 'ledger.db'), clock: systemClock });
  const [count, now] = [7 * 24 * 3, Date.now()];
  const scans = Array.from({ length: count }, (_, index) => ({
    name: `${index}.jpg`,
    at: now - (count - index) * 20 * MINUTE_MS,
  }));
  await ledger.markWatched(folder, [], note('rejected', { at: now }));
  await Promise.all(
    scans.map(({ name, at }) => ledger.note(seen(name, 1, folder), note('rejected', { at }))),
  );
  await ledger.gone(
    folder,
    scans.map(({ name }) => name),
    now,
  );
  await ledger.close();
}
