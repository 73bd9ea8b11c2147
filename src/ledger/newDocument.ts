import type { Document, DocumentState, EndpointKey, Lane } from '../core/domain/document.ts';
import { ReceiptdError } from '../core/domain/errors.ts';
import type { ImageType } from '../core/domain/imageType.ts';
import type { Naming } from '../core/domain/naming.ts';
import type { Admission } from '../core/ports/ledgerIntake.ts';
import type { CurrentSighting, Sighted } from './sighted.ts';

/** An image that is new to its endpoint and has no name yet. */
export interface NewDocument {
  readonly endpoint: EndpointKey;
  readonly folder: string;
  readonly path: string;
  readonly sha256: string;
  readonly type: ImageType;
  readonly size: number;
  readonly lane: Lane;
  readonly at: number;
  readonly naming: Naming;
}

export function newDocumentOf({ endpoint, file, sha256, type, lane, at, naming }: Admission): NewDocument {
  const { folder, path, identity } = file;
  return { endpoint, folder, path, sha256, type, size: identity.size, lane, at, naming };
}

/** Known bytes for another endpoint; they keep their name if it is free there. */
export function copyFor(endpoint: EndpointKey, document: Document, at: number): NewDocument {
  const naming = [document.name, `${document.name}-${document.sha256.slice(0, 16)}`];
  return { ...document, endpoint, lane: 'fresh', at, naming };
}

export function sightedOf({ sha256, remark = null, at }: Admission): Omit<Sighted, 'verdict' | 'documentId'> {
  return { sha256, policy: null, reason: remark?.reason ?? null, message: remark?.message ?? null, at };
}

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

export function keyParams({ baseUrl, uid }: EndpointKey): { baseUrl: string; uid: string } {
  return { baseUrl, uid };
}
