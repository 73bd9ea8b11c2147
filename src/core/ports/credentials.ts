export type { Absence, CredentialsFlaw, KeychainTrouble } from '../../texts/facts.ts';

/** Interface section 5: a client identifier and a client secret. */
export interface Credentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

export const CREDENTIAL_STORES = ['environment', 'systemd', 'file', 'keychain'] as const;
export type CredentialStore = (typeof CREDENTIAL_STORES)[number];

export interface StoredCredentials extends Credentials {
  readonly store: CredentialStore;
  /** True while they are tested before being saved: they are in no store yet. */
  readonly isTried?: boolean;
}

/** Where credentials come from. Read again at each token request, so that rotation needs no restart. */
export interface CredentialsSource {
  /**
   * @throws ReceiptdError CREDENTIALS_MISSING (no store has them), CREDENTIALS_INSECURE (a file that
   * others can read), KEYCHAIN_LOCKED, KEYCHAIN_UNAVAILABLE (absent or hanging; within 10 s).
   */
  get(signal?: AbortSignal): Promise<StoredCredentials>;
}

/** A store that `login` and `logout` can write to. */
export interface WritableCredentials {
  readonly store: CredentialStore;
  /** Idempotent; replaces what was there. */
  set(credentials: Credentials): Promise<void>;
  /** Resolves false if there was nothing to remove. */
  remove(): Promise<boolean>;
}
