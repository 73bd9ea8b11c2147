/** A separate program: checks a ledger while its writer may be running, and prints `ok` or a description of the damage. */
import { messageOf } from '../../../core/domain/errors.ts';
import { isDamage } from '../../sqlite/failure.ts';
import { Statements } from './sqlite.ts';
import { openTables } from './sqliteFiles.ts';
import { flawOf } from './sqliteUpkeep.ts';

// Node opens its debugger at this signal, for everybody on the machine.
if (process.platform !== 'win32') process.on('SIGUSR1', () => {});

const [path = ''] = process.argv.slice(2);
try {
  const statements = new Statements(openTables(path, { readOnly: true }));
  process.stdout.write(`${flawOf(statements) ?? 'ok'}\n`);
} catch (error) {
  if (!isDamage(error)) throw error;
  process.stdout.write(`${messageOf(error)}\n`);
}
