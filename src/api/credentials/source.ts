import { paramsOf, ReceiptdError } from '../../core/domain/errors.ts';
import type {
  Absence,
  CredentialsSource,
  CredentialStore,
  WritableCredentials,
} from '../../core/ports/credentials.ts';
import { environmentStore } from './environment.ts';
import { fileStore, writableFile } from './file.ts';
import { isUnanswered, keychainAccount, keychainStore, writableKeychain } from './keychain.ts';
import type { KeychainOptions } from './keychainCall.ts';
import { absent } from './store.ts';
import type { Store } from './store.ts';
import { systemdStore } from './systemd.ts';

export interface CredentialsOptions extends KeychainOptions {
  /** The service of the credentials; the keychain has one entry per service. */
  readonly baseUrl: string;
  /** The credentials file; without one, the file store is empty. */
  readonly file?: string | undefined;
  /** Account name; null or left out for the default account. */
  readonly account?: string | null;
}

/** `auto`: the first store that has credentials, in the order of `CREDENTIAL_STORES`. */
export function createCredentialsSource(
  options: CredentialsOptions & { readonly store: 'auto' | CredentialStore },
): CredentialsSource {
  const account = options.account ?? null;
  const of = (store: CredentialStore): Store => storeOf(store, options);
  // Windows has no systemd, so messages should not mention it.
  const mayBeUnit = process.platform !== 'win32' || Boolean(options.env['CREDENTIALS_DIRECTORY']);
  const unit = mayBeUnit ? [of('systemd')] : [];
  const stores =
    options.store === 'auto'
      ? [of('environment'), ...unit, of('file'), tolerant(of('keychain'))]
      : [of(options.store)];

  return {
    async get(signal) {
      const looked: Absence[] = [];
      for (const store of stores) {
        signal?.throwIfAborted();
        const look = await store.look(signal).catch((error: unknown) => {
          // A keychain that did not answer may have them, so don't suggest to store them again.
          if (looked.length === 0 || !(error instanceof ReceiptdError) || !isUnanswered(error)) throw error;
          const { cause } = error;
          const trouble = paramsOf(error, 'KEYCHAIN_UNAVAILABLE.unusable');
          throw trouble === null
            ? new ReceiptdError('KEYCHAIN_LOCKED.onlyHope', { account, looked }, { cause })
            : new ReceiptdError('KEYCHAIN_UNAVAILABLE.onlyHope', { ...trouble, account, looked }, { cause });
        });
        if (look.kind === 'found') return { ...look.credentials, store: store.store };
        looked.push(look.absence);
      }
      throw new ReceiptdError('CREDENTIALS_MISSING.lookedIn', { account, looked });
    },
  };
}

/** A single credential store. */
export function storeOf(store: CredentialStore, options: CredentialsOptions): Store {
  const { env, file, baseUrl, account = null } = options;
  switch (store) {
    case 'environment':
      return environmentStore(env, account);
    case 'systemd':
      return systemdStore(env, account);
    case 'file':
      return fileStore(file);
    case 'keychain':
      return keychainStore(keychainAccount(baseUrl, account), options);
  }
}

/** With `auto`, a missing keychain is no error; the reason is listed among the places searched. */
function tolerant(keychain: Store): Store {
  return {
    store: keychain.store,
    async look(signal) {
      try {
        return await keychain.look(signal);
      } catch (error) {
        if (isUnanswered(error) || !(error instanceof ReceiptdError)) throw error;
        const trouble = paramsOf(error, 'KEYCHAIN_UNAVAILABLE.unusable');
        if (trouble === null) throw error;
        return absent('keychain', trouble);
      }
    },
  };
}

/** The store that `login` and `logout` write to. @throws ReceiptdError USAGE for a file store without a file */
export function createWritableCredentials(
  store: 'keychain' | 'file',
  options: CredentialsOptions,
): WritableCredentials {
  if (store === 'keychain')
    return writableKeychain(keychainAccount(options.baseUrl, options.account), options);
  if (options.file === undefined) {
    throw new ReceiptdError('USAGE.noCredentialsFile');
  }
  return writableFile(options.file);
}
