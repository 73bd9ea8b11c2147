import { ReceiptdError } from '../domain/errors.ts';
import type { WritableCredentials } from '../ports/credentials.ts';
import { callKeychain, KeychainSilence } from './keychainCall.ts';
import type { KeychainOptions } from './keychainCall.ts';
import { KEYCHAIN_SERVICE } from './keychainProtocol.ts';
import type { KeychainReply, KeychainRequest } from './keychainProtocol.ts';
import { absent, parseCredentials } from './store.ts';
import type { Store } from './store.ts';

/** The account under which the keychain lists the entry: the base URL without user, query and trailing slash. */
export function keychainAccount(baseUrl: string): string {
  const { origin, pathname } = new URL(baseUrl);
  return origin + pathname.replace(/\/+$/, '');
}

/** The keychain of the operating system, through keytar. */
export function keychainStore(baseUrl: string, options: KeychainOptions): Store {
  const account = keychainAccount(baseUrl);
  const entry = `${KEYCHAIN_SERVICE}, ${account}`;
  return {
    store: 'keychain',
    async look(signal) {
      const reply = await ask({ operation: 'get', account }, options, signal);
      if (reply.kind !== 'got') throw unexpected(reply);
      if (reply.secret === null) return absent(`the keychain (no entry "${entry}", or it is locked)`);
      const credentials = parseCredentials(reply.secret);
      return credentials
        ? { kind: 'found', credentials }
        : absent(`the keychain (its entry "${entry}" was not written by receiptd login)`);
    },
  };
}

export function writableKeychain(baseUrl: string, options: KeychainOptions): WritableCredentials {
  const account = keychainAccount(baseUrl);
  return {
    store: 'keychain',
    async set({ clientId, clientSecret }) {
      const secret = JSON.stringify({ clientId, clientSecret });
      const reply = await ask({ operation: 'set', account, secret }, options);
      if (reply.kind !== 'set') throw unexpected(reply);
    },
    async remove() {
      const reply = await ask({ operation: 'remove', account }, options);
      if (reply.kind !== 'removed') throw unexpected(reply);
      return reply.existed;
    },
  };
}

async function ask(
  request: KeychainRequest,
  options: KeychainOptions,
  signal?: AbortSignal,
): Promise<KeychainReply> {
  try {
    return await callKeychain(request, options, signal);
  } catch (error) {
    if (error instanceof KeychainSilence) throw unavailable(error.message, error);
    throw error;
  }
}

function unexpected(reply: KeychainReply): ReceiptdError {
  switch (reply.kind) {
    case 'notInstalled':
      return unavailable('is not supported by this install: the optional package keytar is missing');
    case 'failed':
      return unavailable(`failed: ${reply.message.replace(/\.$/, '')}`);
    case 'got':
    case 'set':
    case 'removed':
    default:
      return unavailable('helper answered something else');
  }
}

function unavailable(what: string, cause?: unknown): ReceiptdError {
  return new ReceiptdError('KEYCHAIN_UNAVAILABLE', `The keychain ${what}.`, {
    hint: 'Unlock it, or keep the credentials in a file: `receiptd login --store file`.',
    cause,
  });
}
