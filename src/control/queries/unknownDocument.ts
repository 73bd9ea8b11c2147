import { ReceiptdError } from '../../core/domain/errors.ts';

export function unknownDocument(name: string): ReceiptdError {
  return new ReceiptdError('DOCUMENT_UNKNOWN', `The ledger knows no document named "${name}".`, {
    hint: '`receiptd list` shows the names.',
  });
}
