// Loaded into the binary by NODE_OPTIONS: the thread that writes the ledger is nearly always in a call of SQLite's binding. What the
// main thread meets is in the file E2E_MEETS, once it exists.
import { existsSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { DatabaseSync } from '@photostructure/sqlite';

if (isMainThread) {
  const looking = setInterval(() => {
    if (!existsSync(process.env.E2E_MEETS)) return;
    clearInterval(looking);
    const error = Object.assign(new Error('met'), { code: readFileSync(process.env.E2E_MEETS, 'utf8') });
    if (error.code === 'EPIPE') process.stdout.destroy(error);
    else throw error;
  }, 1).unref();
} else if (basename(process.argv[1]) === 'ledgerThread.js') {
  const memory = new DatabaseSync(':memory:');
  const rows = memory.prepare(
    'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) SELECT i FROM n',
  );
  const again = () => {
    // Named here, so that it is not collected, which would close it.
    if (memory.isOpen) rows.all();
    setImmediate(again).unref();
  };
  again();
}
