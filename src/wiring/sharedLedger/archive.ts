import type { Target } from '../../ledger/postgres/connection.ts';
import { archiveHistory, type ArchivedFile, type ArchiveOptions } from '../../ledger/postgres/archive.ts';
import { requireTables } from '../../ledger/postgres/tables.ts';
import { asOwner } from './prepare.ts';

/** @throws ReceiptdError what connecting and archiving throw */
export async function archiveShared(
  target: Target,
  options: ArchiveOptions,
): Promise<{ readonly where: string; readonly files: readonly ArchivedFile[] }> {
  return asOwner(target, 'archive', async (connection, where) => {
    await requireTables(connection, where);
    return { where, files: await archiveHistory(connection, where, options) };
  });
}
