import { text } from 'node:stream/consumers';
import { KEYCHAIN_SERVICE } from './keychainProtocol.ts';
import type { KeychainReply, KeychainRequest } from './keychainProtocol.ts';

/*
 * A process of its own for one call: a frozen keychain blocks a call for most of a minute, and a native
 * module may crash; here both cost only this process. `findCredentials` is never used: it crashes on a
 * locked keychain.
 */

/** What is used of keytar. Its own types are not at hand where it is not installed, and the build must not need it. */
interface Keytar {
  getPassword(service: string, account: string): Promise<string | null>;
  setPassword(service: string, account: string, password: string): Promise<void>;
  deletePassword(service: string, account: string): Promise<boolean>;
}

/** Null on an install without libsecret: keytar is optional. */
async function loadKeytar(): Promise<Keytar | null> {
  const name: string = 'keytar';
  try {
    const module: { default: Keytar } = await import(name);
    return module.default;
  } catch {
    return null;
  }
}

async function answer(request: KeychainRequest): Promise<KeychainReply> {
  const keytar = await loadKeytar();
  if (keytar === null) return { kind: 'notInstalled' };
  const { account } = request;
  if (request.operation === 'get')
    return { kind: 'got', secret: await keytar.getPassword(KEYCHAIN_SERVICE, account) };
  if (request.operation === 'remove') {
    return { kind: 'removed', existed: await keytar.deletePassword(KEYCHAIN_SERVICE, account) };
  }
  await keytar.setPassword(KEYCHAIN_SERVICE, account, request.secret);
  return { kind: 'set' };
}

async function reply(): Promise<KeychainReply> {
  try {
    const request: KeychainRequest = JSON.parse(await text(process.stdin));
    return await answer(request);
  } catch (error) {
    return { kind: 'failed', message: error instanceof Error ? error.message : String(error) };
  }
}

process.stdout.write(`${JSON.stringify(await reply())}\n`);
