import { ReceiptdError } from '../../core/domain/errors.ts';
import { Connector, type Connection, type Target } from '../../ledger/postgres/connection.ts';
import { ledgerFailure } from '../../ledger/postgres/failure.ts';
import { grantRights, isOwner } from '../../ledger/postgres/rights.ts';
import { prepareTables } from '../../ledger/postgres/tables.ts';

/** Statement timeout: months of a large ledger take long to archive. */
const ANSWER_WITHIN_MS = 12 * 60 * 60_000;

/**
 * Makes the tables, and grants `role` (null: every role that has access already) what agents need. Idempotent.
 * @throws ReceiptdError LEDGER_REFUSED, LEDGER_NEWER, ROLE_UNFIT; what connecting throws
 */
export async function prepareShared(
  target: Target,
  role: string | null,
): Promise<{ readonly where: string; readonly roles: readonly string[] }> {
  return asOwner(target, 'prepare', async (connection, where) => {
    await prepareTables(connection, where);
    if (!(await isOwner(connection))) throw new ReceiptdError('LEDGER_REFUSED.notOwnerToPrepare', { where });
    await connection.exec('BEGIN');
    const roles = await grantRights(connection, role);
    await connection.exec('COMMIT');
    return { where, roles };
  });
}

/** Runs `work` on a separate connection. */
export async function asOwner<T>(
  target: Target,
  name: string,
  work: (connection: Connection, where: string) => Promise<T>,
): Promise<T> {
  const connector = new Connector(target, { answerWithinMs: ANSWER_WITHIN_MS });
  const connection = await connector.connect(`receiptd ledger ${name}`);
  try {
    return await work(connection, connector.where);
  } catch (error) {
    throw ledgerFailure(error, connector.where);
  } finally {
    await connection.close();
  }
}
