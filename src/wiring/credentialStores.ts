import type { Config, LoadContext } from '../config/config.ts';
import { isConfigWritable, replaceConfigFile, revisionOf } from '../config/configFile.ts';
import { applyEdits } from '../config/edit.ts';
import { parseConfig, readConfigFile, textOf } from '../config/load.ts';
import { singleStore, putSafely, same, takeOut, type SingleStore } from '../api/credentials/move.ts';
import { isUnanswered } from '../api/credentials/keychain.ts';
import {
  createCredentialsSource,
  createWritableCredentials,
  storeOf,
  type CredentialsOptions,
} from '../api/credentials/source.ts';
import type { StoreReading } from '../api/credentials/store.ts';
import {
  UNIT_CREDENTIALS_DIR,
  unitFileStore,
  unitLines,
  writableUnitFiles,
} from '../api/credentials/unitFiles.ts';
import { ReceiptdError } from '../core/domain/errors.ts';
import { CREDENTIAL_STORES, type Credentials, type CredentialStore } from '../core/ports/credentials.ts';
import { credentialsConfig } from './service.ts';

/** Stores that `login` can write to. */
export const WRITABLE_STORES = ['keychain', 'file', 'systemd'] as const;
export type WritableStore = (typeof WRITABLE_STORES)[number];

export interface StoresOf {
  readonly config: Config;
  readonly account: string | null;
  readonly env: NodeJS.ProcessEnv;
  /** Directory of the unit's encrypted credentials. */
  readonly unitDirectory: string;
}

export { UNIT_CREDENTIALS_DIR, unitLines };

function optionsOf({ config, account, env }: StoresOf): CredentialsOptions {
  return { ...credentialsConfig(config, account), baseUrl: config.service.baseUrl, account, env };
}

/** Where `login` stores credentials and `logout` removes them. */
export function targetStore(store: WritableStore, of: StoresOf): SingleStore {
  if (store === 'systemd') {
    const { unitDirectory, account } = of;
    return singleStore(unitFileStore(unitDirectory, account), writableUnitFiles(unitDirectory, account));
  }
  const options = optionsOf(of);
  return singleStore(storeOf(store, options), createWritableCredentials(store, options));
}

/** Where credentials may be moved from. Not the environment or a unit: receiptd can't remove those. */
function sourceStore(store: CredentialStore, of: StoresOf): SingleStore {
  if (store === 'keychain' || store === 'file') return targetStore(store, of);
  return singleStore(storeOf(store, optionsOf(of)), null);
}

export interface Stored {
  readonly from: SingleStore;
  readonly credentials: Credentials;
}

/**
 * The credentials to move into `to`; null if no other store has any, or if all have the same ones as `to` and no store
 * was named.
 * @throws ReceiptdError USAGE if the source is ambiguous, or the error of the named store
 */
export async function findToMove(
  to: WritableStore,
  from: CredentialStore | undefined,
  of: StoresOf,
): Promise<Stored | null> {
  if (from !== undefined) {
    const source = sourceStore(from, of);
    const look = await source.look();
    if (look.kind === 'found') return { from: source, credentials: look.credentials };
    throw new ReceiptdError('CREDENTIALS_MISSING.nothingToMove', { looked: [look.absence] });
  }
  const found: Stored[] = [];
  let trouble: ReceiptdError | null = null;
  for (const store of CREDENTIAL_STORES) {
    if (store === to) continue;
    const source = sourceStore(store, of);
    const look = await tolerantly(source);
    if (look.kind === 'trouble' && mayHold(look.error)) trouble ??= look.error;
    if (look.kind === 'found') found.push({ from: source, credentials: look.credentials });
  }
  const [first, ...others] = found;
  if (first === undefined && trouble !== null) throw trouble;
  if (first === undefined) return null;
  const there = await tolerantly(targetStore(to, of));
  const differs = there.kind === 'found' && !same(there.credentials, first.credentials);
  if (others.length === 0 && !differs) return first;
  const stores = [...found.map(({ from }) => from.store), ...(differs ? [to] : [])];
  throw new ReceiptdError('USAGE.severalStores', { stores, store: first.from.store });
}

/** A locked or missing keychain must not block a move between other stores. */
async function tolerantly(
  store: SingleStore,
): Promise<StoreReading | { kind: 'trouble'; error: ReceiptdError }> {
  try {
    return await store.look();
  } catch (error) {
    if (error instanceof ReceiptdError) return { kind: 'trouble', error };
    throw error;
  }
}

/** Whether a store that failed may still hold credentials; false if there is no keychain at all. */
function mayHold(error: ReceiptdError): boolean {
  return error.code !== 'KEYCHAIN_UNAVAILABLE' || isUnanswered(error);
}

/**
 * The store to use if none was named: the one where the agent finds credentials now, otherwise the keychain, or the file
 * if no keychain works; `why` gives the reason.
 */
export async function defaultTarget(
  of: StoresOf,
): Promise<{ store: WritableStore; why: ReceiptdError | null }> {
  const { store } = credentialsConfig(of.config, of.account);
  if (store !== 'auto') return { store: store === 'file' ? 'file' : 'keychain', why: null };
  // The agent reads the file before the keychain, and stops at a file that others can read.
  const file = await tolerantly(targetStore('file', of));
  if (file.kind !== 'absent') return { store: 'file', why: null };
  const keychain = await tolerantly(targetStore('keychain', of));
  if (keychain.kind !== 'trouble' || mayHold(keychain.error)) return { store: 'keychain', why: null };
  return { store: 'file', why: keychain.error };
}

/**
 * Reads stored credentials back as the agent would.
 * @throws ReceiptdError CREDENTIALS_UNWRITABLE if a store that takes precedence holds other ones
 */
export async function assertFound(
  store: WritableStore,
  credentials: Credentials,
  of: StoresOf,
): Promise<void> {
  const { store: configured } = credentialsConfig(of.config, of.account);
  // A unit gets its credentials at start; and a configured store is the only one that is read.
  if (configured !== 'auto' || store === 'systemd') return;
  const found = await createCredentialsSource({ ...optionsOf(of), store: 'auto' }).get();
  if (same(found, credentials)) return;
  throw new ReceiptdError('CREDENTIALS_UNWRITABLE.notFirst', {
    account: of.account,
    store,
    first: found.store,
  });
}

/** Of the stores that the agent reads, those that still hold credentials. */
export async function storesLeft(of: StoresOf): Promise<CredentialStore[]> {
  const { store: configured } = credentialsConfig(of.config, of.account);
  const left: CredentialStore[] = [];
  for (const store of configured === 'auto' ? CREDENTIAL_STORES : [configured])
    if ((await tolerantly(sourceStore(store, of))).kind === 'found') left.push(store);
  return left;
}

/** Whether `credentials.store` has to change for the agent to read what was stored. */
export type Agreement =
  | { readonly kind: 'agrees' }
  | { readonly kind: 'changed'; readonly key: string }
  /** The agent reads another store until a person changes that key. */
  | { readonly kind: 'toBeChanged'; readonly key: string };

export async function agreeOn(store: WritableStore, of: StoresOf, context: LoadContext): Promise<Agreement> {
  const { config, account } = of;
  const configured = credentialsConfig(config, account).store;
  if (configured === 'auto' || configured === store) return { kind: 'agrees' };
  const path = account === null ? ['credentials', 'store'] : ['accounts', account, 'store'];
  const key = path.join('.');
  const { file } = config;
  // The unit provides credentials only after a restart with the new settings.
  if (store === 'systemd' || !(await isConfigWritable(file))) return { kind: 'toBeChanged', key };
  try {
    const bytes = await readConfigFile(file);
    textOf(bytes, file);
    // Keeps the byte order mark, if there is one.
    const text = applyEdits(bytes.toString('utf8'), [{ kind: 'set', path, value: store }], file);
    parseConfig(text.replace(/^\uFEFF/, ''), file, context);
    await replaceConfigFile(file, { revision: revisionOf(bytes), text, history: null, at: new Date() });
    return { kind: 'changed', key };
  } catch (error) {
    if (error instanceof ReceiptdError) return { kind: 'toBeChanged', key };
    throw error;
  }
}

export { putSafely, takeOut, type SingleStore };
