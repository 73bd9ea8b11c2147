import { resolve } from 'node:path';
import type { AccountOf } from '../../core/domain/account.ts';
import { ReceiptdError } from '../../core/domain/errors.ts';
import type { JournalHead } from '../../core/ports/journal.ts';
import type { LedgerReports } from '../../core/ports/ledgerReports.ts';
import { createReports } from '../reads/reports.ts';
import { View } from '../reads/view.ts';
import { Statements } from './statements.ts';
import { headOf, openForReading } from './tables.ts';
import { isBusy, storeFailure } from './failure.ts';

/**
 * Opens an existing ledger for reading, beside a running agent or without one.
 * @throws ReceiptdError LEDGER_MISSING, LEDGER_OLDER, FILE_UNREADABLE, LEDGER_NEWER, LEDGER_DAMAGED
 */
export async function openSqliteReports(options: {
  readonly path: string;
  readonly accountOf?: AccountOf;
}): Promise<LedgerReports & { close(): Promise<void> }> {
  const { view, head, close } = openReading(resolve(options.path), async () => {});
  return {
    ...createReports(view, options.accountOf),
    fleet: null,
    head: async () => head(),
    close: async () => close(),
  };
}

/** Reads on a connection of their own. Their errors are those of the port, and told to who watches the store before they are thrown. */
export function openReading(
  path: string,
  onFailed: (failure: unknown) => Promise<void>,
): { readonly view: View; readonly head: () => JournalHead; readonly close: () => void } {
  const statements = new Statements(openForReading(path));
  const view = new View({
    async each(statement, batch, params) {
      if (!statements.db.isOpen) throw notOpen(path);
      try {
        return statements.each(statement, batch, params);
      } catch (error) {
        const failure = storeFailure(error, path, 'read');
        if (failure instanceof ReceiptdError && !isBusy(failure)) await onFailed(failure);
        throw failure;
      }
    },
  });
  return {
    view,
    head() {
      const { ledger, seq, hash } = headOf(statements);
      return { ledger, seq, hash };
    },
    close() {
      statements.close();
    },
  };
}

export function notOpen(path: string): ReceiptdError {
  return new ReceiptdError('LEDGER_WRITE_FAILED.notOpen', { path, isClosed: true });
}
