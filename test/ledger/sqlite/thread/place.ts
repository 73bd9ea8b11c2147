import { fileURLToPath } from 'node:url';
import { openSqliteLedgerBeside, type BesideOptions } from '../../../../src/ledger/sqlite/thread/open.ts';
import { compile } from '../../../daemon/compiled.ts';
import { clock, createPlace } from '../place.ts';

/** The thread as the agent starts it. */
export async function ledgerThread(): Promise<string> {
  return fileURLToPath((await compile('compose/ledgerThread.ts')).url);
}

/** A temporary directory with a ledger in it, written by a thread. */
export async function createThreadPlace(more: Partial<BesideOptions> = {}) {
  const [place, program] = await Promise.all([createPlace(), ledgerThread()]);
  return { ...place, open: () => openSqliteLedgerBeside({ path: place.path, clock, program, ...more }) };
}
