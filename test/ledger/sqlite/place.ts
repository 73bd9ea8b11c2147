import fs from 'node:fs/promises';
import path from 'node:path';
import { openSqliteLedger } from '../../../src/ledger/open.ts';
import type { Clock } from '../../../src/core/ports/clock.ts';
import type { Ledger } from '../../../src/core/ports/ledger.ts';
import type { LedgerPlace } from '../../contract/ledger/support.ts';
import { memoryDirectory } from '../../support/memoryDirectory.ts';

export const clock: Clock = {
  now: () => 1_000,
  monotonic: () => 0,
  sleep: async () => {},
};

/** A temporary directory with a ledger in it, once opened. */
export async function createPlace(): Promise<LedgerPlace & { readonly dir: string; readonly path: string }> {
  const dir = await fs.mkdtemp(path.join(memoryDirectory(), 'receiptd-ledger-'));
  const file = path.join(dir, 'ledger.db');
  return {
    dir,
    path: file,
    open: (accountOf): Promise<Ledger> =>
      openSqliteLedger({ path: file, clock, ...(accountOf && { accountOf }) }),
    async stored() {
      const files = (await fs.readdir(dir)).map((name) => fs.readFile(path.join(dir, name), 'latin1'));
      return (await Promise.all(files)).join('\n');
    },
    remove: () => fs.rm(dir, { recursive: true, force: true }),
  };
}
