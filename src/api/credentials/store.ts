import { ReceiptdError } from '../../core/domain/errors.ts';
import type { Credentials, CredentialStore } from '../../core/ports/credentials.ts';

/** Result of reading a store. `detail` names the place and why it has nothing, to follow "looked in: ". */
export type Look =
  | { readonly kind: 'found'; readonly credentials: Credentials }
  | { readonly kind: 'absent'; readonly detail: string };

/** A place that may have credentials. */
export interface Store {
  readonly store: CredentialStore;
  /** @throws ReceiptdError if credentials exist, but can't or must not be used */
  look(signal?: AbortSignal): Promise<Look>;
}

export function absent(detail: string): Look {
  return { kind: 'absent', detail };
}

/** A longer value must be a whole file that was mistaken for a secret. */
const LONGEST = 4096;
const CONTROL = /\p{Cc}/u;

/** Trims the newlines that files and pasted values end with. Null if one of the two is missing or invalid. */
export function asCredentials(clientId: unknown, clientSecret: unknown): Credentials | null {
  if (typeof clientId !== 'string' || typeof clientSecret !== 'string') return null;
  const trimmed = { clientId: clientId.trim(), clientSecret: clientSecret.trim() };
  if (trimmed.clientId === '' || trimmed.clientSecret === '') return null;
  return flawOf(trimmed) === null ? trimmed : null;
}

/** Why these can't be credentials of a service, to append to the name of their source; null if they can. */
export function flawOf({ clientId, clientSecret }: Partial<Credentials>): string | null {
  for (const [what, value = ''] of [
    ['identifier', clientId],
    ['secret', clientSecret],
  ] as const) {
    if (value.trim().length > LONGEST) return `its client ${what} has more than ${LONGEST} characters`;
    if (value.includes('\0')) return `its client ${what} holds control characters (NUL, as in UTF-16)`;
    if (CONTROL.test(value.trim())) return `its client ${what} holds control characters`;
  }
  return null;
}

/** @throws ReceiptdError USAGE if these can't be credentials of a service */
export function assertFit(given: Credentials): void {
  const flaw = flawOf(given);
  if (flaw === null) return;
  throw new ReceiptdError('USAGE.unfitCredentials', { flaw: flaw.replace(/^its/, 'the') });
}

/**
 * Parses the JSON of the file and the keychain. Else returns what is wrong, to follow the place; `otherwise` if nothing more
 * specific is known.
 */
export function parseCredentials(text: string, otherwise: string): Credentials | string {
  let value: Partial<Record<keyof Credentials, unknown>> | null;
  try {
    value = JSON.parse(text);
  } catch {
    return otherwise;
  }
  const { clientId, clientSecret } = value ?? {};
  const credentials = asCredentials(clientId, clientSecret);
  if (credentials !== null) return credentials;
  if (typeof clientId !== 'string' || typeof clientSecret !== 'string') return otherwise;
  return flawOf({ clientId, clientSecret }) ?? otherwise;
}
