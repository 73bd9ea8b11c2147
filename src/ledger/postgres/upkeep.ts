import { ReceiptdError } from '../../core/domain/errors.ts';
import type { LedgerUpkeep } from '../../core/ports/ledger.ts';

/** Backup and checks of a database are up to its administrators, who have better tools than any client. */
export function createUpkeep(where: string): LedgerUpkeep {
  return {
    isInPlace: async () => true,

    backup: async () => {
      throw new ReceiptdError(
        'BACKUP_FAILED',
        `The ledger is shared, at ${where}, and receiptd does not back it up.`,
        {
          hint: 'Back up the database itself with pg_dump, or with pg_basebackup and archived WAL.',
        },
      );
    },

    lastBackup: async () => null,

    pruneBackups: async () => {},

    check: async () => null,
  };
}
