/**
 * What the agent and its keychain helper say to each other: one JSON line on the helper's stdin, one on its
 * stdout. Arguments and environment are visible to others, so the secret goes through neither.
 */
export type KeychainRequest =
  | { readonly operation: 'get'; readonly account: string }
  | { readonly operation: 'remove'; readonly account: string }
  | { readonly operation: 'set'; readonly account: string; readonly secret: string };

export type KeychainReply =
  | { readonly kind: 'got'; readonly secret: string }
  /** Not certain: it may also lie in a keychain that is locked, and nobody could be asked. */
  | { readonly kind: 'absent'; readonly isCertain: boolean }
  | { readonly kind: 'locked' }
  | { readonly kind: 'set' }
  | { readonly kind: 'removed' }
  | { readonly kind: 'notInstalled' }
  | { readonly kind: 'failed'; readonly message: string };

/** The service under which the keychain lists the entry. */
export const KEYCHAIN_SERVICE = 'receiptd';

/** What can be done with a keychain; keytar's own names. */
export interface Keyring {
  getPassword(service: string, account: string): Promise<string | null>;
  setPassword(service: string, account: string, password: string): Promise<void>;
  deletePassword(service: string, account: string): Promise<boolean>;
}
