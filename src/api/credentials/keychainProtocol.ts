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

/** Guards against a frozen keyring. Includes the helper's start, which takes seconds on a busy machine, such as one that boots. */
export const READ_LIMIT_MS = 10_000;
/** For changes: the desktop may be asking its user for the keychain's password. */
export const CHANGE_LIMIT_MS = 30_000;
/** Programs that the helper runs end this much earlier than it, so that none outlives it. */
export const HELPER_MARGIN_MS = 2_000;

/** The service name of the keychain entry. */
export const KEYCHAIN_SERVICE = 'receiptd';

/** Operations on a keychain, named as in keytar. */
export interface Keyring {
  getPassword(service: string, account: string): Promise<string | null>;
  setPassword(service: string, account: string, password: string): Promise<void>;
  deletePassword(service: string, account: string): Promise<boolean>;
}
