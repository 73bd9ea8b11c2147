import { ReceiptdError } from '../../core/domain/errors.ts';
import type { Credentials, CredentialStore } from '../../core/ports/credentials.ts';

/** What a store says. `detail` names the place and why there is nothing, to follow "looked in: ". */
export type Look =
  | { readonly kind: 'found'; readonly credentials: Credentials }
  | { readonly kind: 'absent'; readonly detail: string };

/** One place where credentials may be. */
export interface Store {
  readonly store: CredentialStore;
  /** @throws ReceiptdError where something is there but must not or cannot be used */
  look(signal?: AbortSignal): Promise<Look>;
}

export function absent(detail: string): Look {
  return { kind: 'absent', detail };
}

/** Longer ones are a whole file taken for a secret by mistake. */
const LONGEST = 4096;
const CONTROL = /\p{Cc}/u;

/** Files and pasted variables end in newlines that belong to neither value. Null if one of the two is missing, or can't be one. */
export function asCredentials(clientId: unknown, clientSecret: unknown): Credentials | null {
  if (typeof clientId !== 'string' || typeof clientSecret !== 'string') return null;
  const trimmed = { clientId: clientId.trim(), clientSecret: clientSecret.trim() };
  if (trimmed.clientId === '' || trimmed.clientSecret === '') return null;
  return flawOf(trimmed) === null ? trimmed : null;
}

/** Why these can't be what a service gave, to follow what holds them; null if they may be. */
export function flawOf({ clientId, clientSecret }: Partial<Credentials>): string | null {
  for (const [what, value = ''] of [
    ['identifier', clientId],
    ['secret', clientSecret],
  ] as const) {
    if (value.trim().length > LONGEST) return `its client ${what} has more than ${LONGEST} characters`;
    if (CONTROL.test(value.trim())) return `its client ${what} holds control characters`;
  }
  return null;
}

/** @throws ReceiptdError USAGE for what can't be what a service gave, in whatever store it would be */
export function assertFit(given: Credentials): void {
  const flaw = flawOf(given);
  if (flaw === null) return;
  throw new ReceiptdError('USAGE', `These can't be service credentials: ${flaw.replace(/^its/, 'the')}.`, {
    hint: 'Enter the client identifier and the client secret exactly as the service shows them.',
  });
}

/** The form that the file and the keychain hold; or why the text is none, to follow the place, as `otherwise` if there is nothing to add. */
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
