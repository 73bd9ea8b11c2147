import { Connector, type Target } from '../../ledger/postgres/connection.ts';
import { prepare } from '../../ledger/postgres/prepare.ts';
import { ledgerFailure } from '../../ledger/postgres/failure.ts';
import type { Connection } from '../../ledger/postgres/connection.ts';

/** Statement timeout: upgrading a large ledger recreates indexes. */
const ANSWER_WITHIN_MS = 12 * 60 * 60_000;

/** @throws ReceiptdError what connecting and preparing throw */
export async function prepareShared(
  target: Target,
  role: string | null,
): Promise<{ readonly where: string; readonly roles: readonly string[] }> {
  return asOwner(target, 'prepare', async (connection, where) => ({
    where,
    roles: await prepare(connection, where, role),
  }));
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
