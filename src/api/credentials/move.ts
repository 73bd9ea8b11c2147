import { ReceiptdError } from '../../core/domain/errors.ts';
import type { Credentials, CredentialStore, WritableCredentials } from '../../core/ports/credentials.ts';
import { assertFit } from './store.ts';
import type { Look, Store } from './store.ts';

/** A store that is written, and looked into by itself. */
export interface Place {
  readonly store: CredentialStore;
  look(): Promise<Look>;
  /** Null for what somebody else writes: the environment, a unit's credentials. */
  readonly writable: WritableCredentials | null;
}

export function placeOf(store: Store, writable: WritableCredentials | null): Place {
  return { store: store.store, look: () => store.look(), writable };
}

/**
 * Puts credentials into a store and makes sure that they are there, by reading them back.
 * @throws ReceiptdError what the store says, or CREDENTIALS_UNWRITABLE where something else is read back
 */
export async function putSafely(to: Place, credentials: Credentials): Promise<void> {
  if (to.writable === null) throw new Error(`The ${to.store} store is read-only.`);
  assertFit(credentials);
  await to.writable.set(credentials);
  const look = await to.look();
  if (look.kind === 'found' && same(look.credentials, credentials)) return;
  throw new ReceiptdError(
    'CREDENTIALS_UNWRITABLE',
    look.kind === 'found'
      ? `The ${to.store} store returns different credentials from the ones written to it.`
      : `The ${to.store} store does not return what was written to it; looked in: ${look.detail}.`,
    { hint: 'The stored credentials are still where they were. Choose a different store with --store.' },
  );
}

/**
 * Takes credentials that were put elsewhere out of a store; at every moment one of the two has them. Resolves false where it
 * was not done: they are others by now, or somebody else's to remove.
 * @throws ReceiptdError what the store says
 */
export async function takeOut(from: Place, credentials: Credentials): Promise<boolean> {
  if (from.writable === null) return false;
  const look = await from.look();
  if (look.kind !== 'found') return true;
  if (!same(look.credentials, credentials)) return false;
  await from.writable.remove();
  return true;
}

export function same(a: Credentials, b: Credentials): boolean {
  return a.clientId === b.clientId && a.clientSecret === b.clientSecret;
}
