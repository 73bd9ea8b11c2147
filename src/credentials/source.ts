import { ReceiptdError } from '../domain/errors.ts';
import type { CredentialsSource, CredentialStore, WritableCredentials } from '../ports/credentials.ts';
import { environmentStore } from './environment.ts';
import { fileStore, writableFile } from './file.ts';
import { keychainStore, writableKeychain } from './keychain.ts';
import type { KeychainOptions } from './keychainCall.ts';
import { absent } from './store.ts';
import type { Store } from './store.ts';
import { systemdStore } from './systemd.ts';

export interface CredentialsOptions extends KeychainOptions {
  /** The service that the credentials are for; the keychain keeps one entry for each. */
  readonly baseUrl: string;
  /** The credentials file; without one that store has nothing. */
  readonly file?: string | undefined;
}

/** `auto`: the first store that has them, in the order of `CREDENTIAL_STORES`. */
export function createCredentialsSource(
  options: CredentialsOptions & { readonly store: 'auto' | CredentialStore },
): CredentialsSource {
  const all: Readonly<Record<CredentialStore, () => Store>> = {
    environment: () => environmentStore(options.env),
    systemd: () => systemdStore(options.env),
    file: () => fileStore(options.file),
    keychain: () => keychainStore(options.baseUrl, options),
  };
  const stores =
    options.store === 'auto'
      ? [all.environment(), all.systemd(), all.file(), tolerant(all.keychain())]
      : [all[options.store]()];

  return {
    async get(signal) {
      const looked: string[] = [];
      for (const store of stores) {
        signal?.throwIfAborted();
        const look = await store.look(signal);
        if (look.kind === 'found') return { ...look.credentials, store: store.store };
        looked.push(look.detail);
      }
      throw new ReceiptdError(
        'CREDENTIALS_MISSING',
        `No credentials for the service; looked in: ${looked.join('; ')}.`,
        {
          hint: 'Store them with: receiptd login',
        },
      );
    },
  };
}

/** A machine without a keychain is no fault where any store would do; the reason stands among the places looked in. */
function tolerant(keychain: Store): Store {
  return {
    store: keychain.store,
    async look(signal) {
      try {
        return await keychain.look(signal);
      } catch (error) {
        if (!(error instanceof ReceiptdError)) throw error;
        return absent(`the keychain (${error.message.replace(/^The keychain |\.$/g, '')})`);
      }
    },
  };
}

/** What `login` and `logout` write to. @throws ReceiptdError USAGE for a file store without a file */
export function createWritableCredentials(
  store: 'keychain' | 'file',
  options: CredentialsOptions,
): WritableCredentials {
  if (store === 'keychain') return writableKeychain(options.baseUrl, options);
  if (options.file === undefined) {
    throw new ReceiptdError('USAGE', 'No credentials file is configured.', {
      hint: 'Set credentials.file in the configuration.',
    });
  }
  return writableFile(options.file);
}
