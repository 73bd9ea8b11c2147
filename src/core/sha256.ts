import { hash } from 'node:crypto';

/** SHA-256 in hexadecimal, as stored in the ledger. */
export function sha256(bytes: Uint8Array): string {
  return hash('sha256', bytes, 'hex');
}
