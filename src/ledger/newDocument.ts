import type { Document, DocumentState } from '../core/domain/document.ts';
import { ReceiptdError } from '../core/domain/errors.ts';
import type { CurrentSighting } from './sighted.ts';

/**
 * Whether the current file at the path is known to be this document. A lost image is more than known: its bytes are
 * back. If disposal found other bytes at the path, that sighting stays as it is; the original that is back may be
 * disposed of like any other file with these bytes.
 */
export function isThere(
  { id, state }: Pick<Document, 'id' | 'state'>,
  current: Pick<CurrentSighting, 'documentId' | 'disposed'>,
): boolean {
  return current.documentId === id && state !== 'lost' && current.disposed === null;
}

/** Whether a document in this state is queued again when its bytes are seen again. */
export function isToSendAgain(state: DocumentState): boolean {
  return state === 'failed' || state === 'lost';
}

export function noFreeName(path: string): ReceiptdError {
  return new ReceiptdError('TEMPLATE_INVALID.noFreeName', { path });
}
