import { ReceiptdError } from '../../core/domain/errors.ts';
import type { KeychainTrouble, WritableCredentials } from '../../core/ports/credentials.ts';
import { callKeychain, KeychainSilence } from './keychainCall.ts';
import type { KeychainOptions } from './keychainCall.ts';
import { KEYCHAIN_SERVICE } from './keychainProtocol.ts';
import type { KeychainReply, KeychainRequest } from './keychainProtocol.ts';
import { absent, parseCredentials } from './store.ts';
import type { Store } from './store.ts';

/**
 * The account name of the keychain entry: the base URL without user, query and trailing slash; for a named account, followed by #
 * and its name, since no base URL has a #.
 */
export function keychainAccount(baseUrl: string, name: string | null = null): string {
  const { origin, pathname } = new URL(baseUrl);
  return origin + pathname.replace(/\/+$/, '') + (name === null ? '' : `#${name}`);
}

/** The operating system's keychain, through keytar. */
export function keychainStore(account: string, options: KeychainOptions): Store {
  const entry = `${KEYCHAIN_SERVICE}, ${account}`;
  return {
    store: 'keychain',
    async look(signal) {
      const reply = await ask({ operation: 'get', account }, options, signal);
      if (reply.kind === 'absent')
        return absent('keychain', { why: 'noEntry', entry, isCertain: reply.isCertain });
      if (reply.kind !== 'got') throw unexpected(reply);
      const credentials = parseCredentials(reply.secret, { why: 'foreignEntry', entry });
      return 'why' in credentials ? absent('keychain', credentials) : { kind: 'found', credentials };
    },
  };
}

export function writableKeychain(account: string, options: KeychainOptions): WritableCredentials {
  return {
    store: 'keychain',
    async set({ clientId, clientSecret }) {
      const secret = JSON.stringify({ clientId, clientSecret });
      const reply = await ask({ operation: 'set', account, secret }, options);
      if (reply.kind !== 'set') throw unexpected(reply);
    },
    async remove() {
      const reply = await ask({ operation: 'remove', account }, options);
      if (reply.kind === 'absent' && reply.isCertain) return false;
      if (reply.kind === 'absent') throw unavailable({ why: 'noSuchEntry' });
      if (reply.kind !== 'removed') throw unexpected(reply);
      return true;
    },
  };
}

/** Whether the keychain exists but could not answer, because it is locked or hangs. It may have the entry. */
export function isUnanswered(error: unknown): boolean {
  if (!(error instanceof ReceiptdError)) return false;
  return (
    error.code === 'KEYCHAIN_LOCKED' ||
    (error.cause instanceof KeychainSilence && error.cause.trouble.why === 'late')
  );
}

async function ask(
  request: KeychainRequest,
  options: KeychainOptions,
  signal?: AbortSignal,
): Promise<KeychainReply> {
  try {
    return await callKeychain(request, options, signal);
  } catch (error) {
    if (error instanceof KeychainSilence) throw unavailable(error.trouble, error);
    throw error;
  }
}

function unexpected(reply: KeychainReply): ReceiptdError {
  switch (reply.kind) {
    case 'locked':
      return new ReceiptdError('KEYCHAIN_LOCKED.locked');
    case 'notInstalled':
      return unavailable({ why: 'notInstalled', isLinux: process.platform === 'linux' });
    case 'failed':
      return failed(reply.message.replace(/\.$/, ''));
    case 'got':
    case 'absent':
    case 'set':
    case 'removed':
    default:
      return unavailable({ why: 'strangeAnswer' });
  }
}

/** Replaces libsecret's messages about a missing keychain, which only describe its internals. */
function failed(detail: string): ReceiptdError {
  if (
    /autolaunch D-Bus|connect to (?:the )?(?:session )?bus|Could not connect|DBUS_SESSION_BUS_ADDRESS/i.test(
      detail,
    )
  )
    return unavailable({ why: 'noSession', detail });
  if (/org\.freedesktop\.secrets.*(?:was not provided|not activatable|exited)|ServiceUnknown/i.test(detail))
    return unavailable({ why: 'noKeyring', detail });
  return unavailable({ why: 'failed', detail });
}

function unavailable(trouble: KeychainTrouble, cause?: unknown): ReceiptdError {
  return new ReceiptdError('KEYCHAIN_UNAVAILABLE.unusable', trouble, { cause });
}
