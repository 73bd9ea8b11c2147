import {
  createCredentialsSource,
  createWritableCredentials,
  type CredentialsOptions,
} from '../../../src/api/credentials/source.ts';
import type { CredentialsPair } from '../../contract/credentials.ts';

export const baseUrl = 'https://service.example/api';
export const credentials = { clientId: 'id', clientSecret: 'very-secret' };

/** Starting a process can be slow on a busy machine. */
const PATIENT_MS = 60_000;

export function pair(options: Omit<CredentialsOptions, 'baseUrl'> & { baseUrl?: string }): CredentialsPair {
  const all = { baseUrl, limitMs: PATIENT_MS, ...options };
  return {
    source: createCredentialsSource({ ...all, store: 'keychain' }),
    writable: createWritableCredentials('keychain', all),
  };
}
