import type { Credentials, CredentialStore } from '../ports/credentials.ts';

/** What a store says. `detail` names the place and why there is nothing, to follow "looked in: ". */
export type Look =
  | { readonly kind: 'found'; readonly credentials: Credentials }
  | { readonly kind: 'absent'; readonly detail: string };

/** One place where credentials may be. */
export interface Store {
  readonly store: CredentialStore;
  /** @throws ReceiptdError where something is there but must not or can not be used */
  look(signal?: AbortSignal): Promise<Look>;
}

export function absent(detail: string): Look {
  return { kind: 'absent', detail };
}

/** Files and pasted variables end in newlines that belong to neither value. Null if one of the two is missing. */
export function asCredentials(clientId: unknown, clientSecret: unknown): Credentials | null {
  if (typeof clientId !== 'string' || typeof clientSecret !== 'string') return null;
  const trimmed = { clientId: clientId.trim(), clientSecret: clientSecret.trim() };
  return trimmed.clientId === '' || trimmed.clientSecret === '' ? null : trimmed;
}

/** The form that the file and the keychain hold. Null if the text is something else. */
export function parseCredentials(text: string): Credentials | null {
  try {
    const value: Partial<Record<keyof Credentials, unknown>> | null = JSON.parse(text);
    return asCredentials(value?.clientId, value?.clientSecret);
  } catch {
    return null;
  }
}
