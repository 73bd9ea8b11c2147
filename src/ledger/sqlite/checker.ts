/** A separate program: checks a ledger while its writer may be running, and prints `ok` or a description of the damage. */
import { DatabaseSync } from '@photostructure/sqlite';
import { isDamage } from './failure.ts';
import { MISCOUNTED } from './sql/reports.ts';
import { messageOf } from '../../core/domain/errors.ts';

// Node opens its debugger at this signal, for everybody on the machine.
if (process.platform !== 'win32') process.on('SIGUSR1', () => {});

const [path = ''] = process.argv.slice(2);
try {
  const db = new DatabaseSync(path, { readOnly: true, timeout: 5_000 });
  const verdict = Object.values(db.prepare('PRAGMA integrity_check(1)').all()[0] ?? {})[0];
  const broken = db.prepare('PRAGMA foreign_key_check').all().length;
  const miscounted = db.prepare(MISCOUNTED).all().length;
  db.close();
  const counted = miscounted === 0 ? 'ok' : 'the document counts are wrong';
  const sound = broken === 0 ? counted : `${broken} broken references`;
  process.stdout.write(`${verdict === 'ok' ? sound : String(verdict)}\n`);
} catch (error) {
  if (!isDamage(error)) throw error;
  process.stdout.write(`${messageOf(error)}\n`);
}
