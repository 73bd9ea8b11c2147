import type { EndpointKey } from '../../domain/document.ts';
import type { Admitted } from '../../ports/ledger.ts';
import type { Transaction } from './store.ts';

// TODO(pg): to be written on its branch; nothing here may land.
export async function admitElsewhere(
  sql: Transaction,
  documentId: number,
  endpoint: EndpointKey,
  at: number,
): Promise<Admitted> {
  throw new Error(`not there yet: ${typeof sql} ${documentId} ${endpoint.uid} ${at}`);
}
