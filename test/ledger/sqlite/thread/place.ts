import { fileURLToPath } from 'node:url';
import type { AccountOf } from '../../../../src/core/domain/account.ts';
import { openSqliteLedgerBeside, type BesideOptions } from '../../../../src/ledger/sqlite/thread/open.ts';
import { compile } from '../../../support/scripts.ts';
import { clock, createPlace } from '../place.ts';

/** The thread as the agent starts it. */
export async function ledgerThread(): Promise<string> {
  return fileURLToPath((await compile('wiring/ledgerThread.ts')).url);
}

/** A temporary directory with a ledger in it, written by a thread. */
export async function createThreadPlace(more: Partial<BesideOptions> = {}) {
  const [place, thread] = await Promise.all([createPlace(), ledgerThread()]);
  const options = { path: place.path, clock, thread, ...more };
  return {
    ...place,
    open: (accountOf?: AccountOf) => openSqliteLedgerBeside({ ...options, ...(accountOf && { accountOf }) }),
  };
}
