import { restoreBackup, type Restored } from '../../src/features/backup/restoreBackup.ts';
import { inspectBackup } from '../../src/features/backup/source.ts';
import type { Config } from '../../src/config/config.ts';

/** Does what `receiptd restore FILE` does, for a state directory without a configuration. */
export async function restoreLedger(
  stateDir: string,
  file: string,
  how: { readonly replace?: boolean; readonly older?: boolean } = {},
): Promise<Restored> {
  const parts = {
    stateDir,
    control: { group: null },
    endpoints: [],
    folders: [],
    ledger: { kind: 'sqlite' },
  };
  const options = { replace: false, older: false, isCopy: false, by: 'ann', ...how };
  return restoreBackup(parts as unknown as Config, { ...options, file, source: await inspectBackup(file) });
}
