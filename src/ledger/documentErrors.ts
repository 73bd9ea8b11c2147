import type { DocumentState } from '../core/domain/document.ts';
import { ReceiptdError } from '../core/domain/errors.ts';

export function documentUnknown(id: number): ReceiptdError {
  return new ReceiptdError('DOCUMENT_UNKNOWN.number', { id });
}

export function wrongState(
  name: string,
  state: DocumentState,
  wanted: 'upload' | 'postpone' | 'lose' | 'resend',
): ReceiptdError {
  return new ReceiptdError('DOCUMENT_STATE.wrong', { name, state, wanted });
}
