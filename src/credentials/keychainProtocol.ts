/**
 * What the agent and its keychain helper say to each other: one JSON line on the helper's stdin, one on its
 * stdout. Arguments and environment are visible to others, so the secret goes through neither.
 */
export type KeychainRequest =
  | { readonly operation: 'get'; readonly account: string }
  | { readonly operation: 'remove'; readonly account: string }
  | { readonly operation: 'set'; readonly account: string; readonly secret: string };

export type KeychainReply =
  /** Null: absent, or in a keychain that is locked and that nobody unlocks; keytar does not tell them apart. */
  | { readonly kind: 'got'; readonly secret: string | null }
  | { readonly kind: 'set' }
  | { readonly kind: 'removed'; readonly existed: boolean }
  | { readonly kind: 'notInstalled' }
  | { readonly kind: 'failed'; readonly message: string };

/** The service under which the keychain lists the entry. */
export const KEYCHAIN_SERVICE = 'receiptd';
