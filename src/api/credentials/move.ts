import { ReceiptdError } from '../../core/domain/errors.ts';
import type { Credentials, CredentialStore, WritableCredentials } from '../../core/ports/credentials.ts';
import { assertFit } from './store.ts';
import type { StoreReading, Store } from './store.ts';

/** A store that can be read on its own, and perhaps written. */
export interface SingleStore {
  readonly store: CredentialStore;
  look(): Promise<StoreReading>;
  /** Null for stores that others write: the environment, a unit's credentials. */
  readonly writable: WritableCredentials | null;
}

export function singleStore(store: Store, writable: WritableCredentials | null): SingleStore {
  return { store: store.store, look: () => store.look(), writable };
}

/**
 * Stores credentials, and verifies them by reading them back.
 * @throws ReceiptdError from the store; CREDENTIALS_UNWRITABLE if something else is read back
 */
export async function putSafely(to: SingleStore, credentials: Credentials): Promise<void> {
  if (to.writable === null) throw new Error(`The ${to.store} store is read-only.`);
  assertFit(credentials);
  await to.writable.set(credentials);
  const look = await to.look();
  if (look.kind === 'found' && same(look.credentials, credentials)) return;
  const { store } = to;
  throw look.kind === 'found'
    ? new ReceiptdError('CREDENTIALS_UNWRITABLE.different', { store })
    : new ReceiptdError('CREDENTIALS_UNWRITABLE.notReturned', { store, looked: [look.absence] });
}

/**
 * Removes credentials from a store after they were put elsewhere; at every moment one of the two stores has them. False if they
 * were not removed, because they have changed or are read-only.
 * @throws ReceiptdError from the store
 */
export async function takeOut(from: SingleStore, credentials: Credentials): Promise<boolean> {
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
