/**
 * The protocol between the agent and its keychain helper: one JSON line on stdin, one on stdout. The secret is never passed in
 * arguments or environment, which other processes can see.
 */
export type KeychainRequest =
  | { readonly operation: 'get'; readonly account: string }
  | { readonly operation: 'remove'; readonly account: string }
  | { readonly operation: 'set'; readonly account: string; readonly secret: string };

export type KeychainReply =
  | { readonly kind: 'got'; readonly secret: string }
  /** If not certain, a locked keychain that could not be queried may have the entry. */
  | { readonly kind: 'absent'; readonly isCertain: boolean }
  | { readonly kind: 'locked' }
  | { readonly kind: 'set' }
  | { readonly kind: 'removed' }
  | { readonly kind: 'notInstalled' }
  | { readonly kind: 'failed'; readonly message: string };

/** The service name of the keychain entry. */
export const KEYCHAIN_SERVICE = 'receiptd';

/** Operations on a keychain, named as in keytar. */
export interface Keyring {
  getPassword(service: string, account: string): Promise<string | null>;
  setPassword(service: string, account: string, password: string): Promise<void>;
  deletePassword(service: string, account: string): Promise<boolean>;
}
