import { hash } from 'node:crypto';

/** In hexadecimal, as the ledger has it. */
export function sha256(bytes: Uint8Array): string {
  return hash('sha256', bytes, 'hex');
}
