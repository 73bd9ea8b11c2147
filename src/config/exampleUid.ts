import { ReceiptdError } from '../core/domain/errors.ts';
import type { Config } from './config.ts';

/** The uid that `receiptd init` writes if none is given. */
export const EXAMPLE_UID = '00000000-0000-0000-0000-000000000000';

/**
 * Refuses the example uid: no service has such an endpoint, so documents queued for it would wait forever.
 * @throws ReceiptdError ENDPOINT_IS_EXAMPLE if a folder's endpoint still has the uid of the example
 */
export function refuseExampleUid({ file, folders }: Config): void {
  const example = folders.find(({ endpoint }) => endpoint.uid === EXAMPLE_UID);
  if (example === undefined) return;
  throw new ReceiptdError('ENDPOINT_IS_EXAMPLE', { file, alias: example.alias });
}
