import { join } from 'node:path';
import * as threads from 'node:worker_threads';
import { afterAll, beforeAll, vi } from 'vitest';
import { openSqliteLedgerBeside } from '../../../src/ledger/open.ts';
import { describeLedgerContract } from '../../contract/ledger/contract.ts';
import { compiledSources } from '../../support/compiled.ts';
import { clock, createPlace } from '../sqlite/place.ts';

/** A thread for each ledger would take twenty times as long as the tests themselves; thread.test.ts tests such threads. */
vi.mock('node:worker_threads', async (original) => ({
  ...(await original<typeof threads>()),
  Worker: function ledgerInSharedThread() {
    const { port1, port2 } = new threads.MessageChannel();
    thread.postMessage(port2, [port2]);
    return port1.on('close', () => port1.emit('exit', 0));
  },
}));

let thread: threads.Worker;
beforeAll(async () => {
  const { Worker } = await vi.importActual<typeof threads>('node:worker_threads');
  thread = new Worker(join(await compiledSources(), 'test/ledger/thread/manyLedgers.js'));
});
afterAll(() => thread.terminate());

// Lists are read outside the thread, by code that the contract of the SQLite ledger already covers.
describeLedgerContract('the SQLite ledger that a thread writes', async () => {
  const place = await createPlace();
  const options = { path: place.path, clock, thread: 'shared' };
  return {
    ...place,
    open: (accountOf) => openSqliteLedgerBeside({ ...options, ...(accountOf && { accountOf }) }),
  };
});
