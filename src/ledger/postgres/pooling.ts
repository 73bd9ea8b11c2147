import { randomUUID } from 'node:crypto';
import { ReceiptdError, systemCode } from '../../core/domain/errors.ts';
import type { Connection } from './connection.ts';

/** Others may use the pool as well. */
const TRIES = 3;
/** Raised below. */
const OTHER_SESSION = 'RD001';

/**
 * A session is more than its transactions here: settings, prepared statements, what LISTEN hears. Of two connections to a pool of
 * transactions, the one that begins a transaction gets the server process that the other one had last. To be asked before anything is
 * prepared: that would fail, and say something else.
 * @throws ReceiptdError LEDGER_REFUSED
 */
export async function refuseTransactionPooling(
  one: Connection,
  other: Connection,
  where: string,
): Promise<void> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const mark = randomUUID();
    await one.exec(`SET receiptd.session = '${mark}'`);
    await other.exec('BEGIN; SELECT 1');
    try {
      await one.exec(`
DO $$ BEGIN
  IF current_setting('receiptd.session', true) IS DISTINCT FROM '${mark}' THEN
    RAISE EXCEPTION 'another session' USING ERRCODE = '${OTHER_SESSION}';
  END IF;
END $$`);
    } catch (error) {
      if (systemCode(error) === OTHER_SESSION) throw refusal(where);
      throw error;
    }
    await other.exec('COMMIT');
  }
}

function refusal(where: string): ReceiptdError {
  return new ReceiptdError(
    'LEDGER_REFUSED',
    `The ledger at ${where} can't be used: a pooler in between gives each transaction another session.`,
    {
      hint: 'Let it pool sessions (PgBouncer: pool_mode = session), or name the server itself in ledger.url.',
    },
  );
}
