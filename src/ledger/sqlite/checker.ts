/** A separate program: checks a ledger while its writer may be running, and prints `ok` or a description of the damage. */
import { DatabaseSync } from '@photostructure/sqlite';
import { messageOf } from '../../core/domain/errors.ts';
import { flawOf, isDamage } from './failure.ts';

// Node opens its debugger at this signal, for everybody on the machine.
if (process.platform !== 'win32') process.on('SIGUSR1', () => {});

const [path = ''] = process.argv.slice(2);
try {
  // Imports little: every command loads what helpers import.
  const db = new DatabaseSync(path, { readOnly: true, timeout: 5_000 });
  process.stdout.write(`${flawOf(db) ?? 'ok'}\n`);
  db.close();
} catch (error) {
  if (!isDamage(error)) throw error;
  process.stdout.write(`${messageOf(error)}\n`);
}
