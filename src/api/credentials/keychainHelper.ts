import { text } from 'node:stream/consumers';
import { KEYCHAIN_SERVICE } from './keychainProtocol.ts';
import type { KeychainReply, KeychainRequest, Keyring } from './keychainProtocol.ts';
import { findSecretTool } from './secretTool.ts';
import { whyNothing } from './secretService.ts';

// Node opens its debugger at this signal, for everybody on the machine.
if (process.platform !== 'win32') process.on('SIGUSR1', () => {});

/*
 * A separate process for each call: a frozen keychain blocks a call for up to a minute, and a native module may crash; both only
 * affect this process. Never uses `findCredentials`, because it crashes on a locked keychain.
 */

/** Null if keytar is not installed or fails to load: it is optional, so its types are not available here. */
async function loadKeytar(): Promise<Keyring | null> {
  const name: string = 'keytar';
  try {
    const module: { default: Keyring } = await import(name);
    return module.default;
  } catch {
    return null;
  }
}

async function answer(request: KeychainRequest): Promise<KeychainReply> {
  const keyring = (await loadKeytar()) ?? (await findSecretTool());
  if (keyring === null) return { kind: 'notInstalled' };
  const { account } = request;
  switch (request.operation) {
    case 'get': {
      const secret = await keyring.getPassword(KEYCHAIN_SERVICE, account);
      return secret === null ? whyNothing(account) : { kind: 'got', secret };
    }
    case 'remove': {
      const existed = await keyring.deletePassword(KEYCHAIN_SERVICE, account);
      return existed ? { kind: 'removed' } : whyNothing(account);
    }
    case 'set':
      await keyring.setPassword(KEYCHAIN_SERVICE, account, request.secret);
      return { kind: 'set' };
  }
}

async function reply(): Promise<KeychainReply> {
  try {
    const request: KeychainRequest = JSON.parse(await text(process.stdin));
    return await answer(request);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    // libsecret's message: "Cannot create an item in a locked collection".
    return /\blocked\b/.test(message) ? { kind: 'locked' } : { kind: 'failed', message };
  }
}

process.stdout.write(`${JSON.stringify(await reply())}\n`);
