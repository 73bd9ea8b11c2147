import { randomUUID } from 'node:crypto';
import { ReceiptdError, systemCode } from '../../core/domain/errors.ts';
import type { Connection } from './connection.ts';

/** Other clients may use the pool as well. */
const TRIES = 3;
/** Raised below. */
const OTHER_SESSION = 'RD001';

/**
 * Refuses transaction poolers: a session here is more than its transactions, with settings, prepared statements and
 * LISTEN. Of two connections to such a pool, the one that begins a transaction gets the server process that the other
 * had last. Must run before anything is prepared, which would fail with a misleading error.
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
  return new ReceiptdError('LEDGER_REFUSED.pooler', { where });
}
