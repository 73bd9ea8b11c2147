import { ReceiptdError } from '../../core/domain/errors.ts';
import type { Absence, Credentials, CredentialsFlaw, CredentialStore } from '../../core/ports/credentials.ts';

/** Result of reading a store. */
export type StoreReading =
  | { readonly kind: 'found'; readonly credentials: Credentials }
  | { readonly kind: 'absent'; readonly absence: Absence };

/** A place that may have credentials. */
export interface Store {
  readonly store: CredentialStore;
  /** @throws ReceiptdError if credentials exist, but can't or must not be used */
  look(signal?: AbortSignal): Promise<StoreReading>;
}

export function absent(place: Absence['place'], why: Absence['why']): StoreReading {
  return { kind: 'absent', absence: { place, why } };
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

/** Why these can't be credentials of a service; null if they can. */
export function flawOf({ clientId, clientSecret }: Partial<Credentials>): CredentialsFlaw | null {
  for (const [of, value = ''] of [
    ['clientId', clientId],
    ['clientSecret', clientSecret],
  ] as const) {
    if (value.trim().length > LONGEST) return { why: 'tooLong', of };
    if (value.includes('\0')) return { why: 'nul', of };
    if (CONTROL.test(value.trim())) return { why: 'control', of };
  }
  return null;
}

/** @throws ReceiptdError USAGE if these can't be credentials of a service */
export function assertFit(given: Credentials): void {
  const flaw = flawOf(given);
  if (flaw === null) return;
  throw new ReceiptdError('USAGE.unfitCredentials', flaw);
}

/** Parses the JSON of the file and the keychain. Else returns what is wrong; `otherwise` if nothing more specific is known. */
export function parseCredentials(text: string, otherwise: Absence['why']): Credentials | Absence['why'] {
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
