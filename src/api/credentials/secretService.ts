import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { KEYCHAIN_SERVICE } from './keychainProtocol.ts';
import type { KeychainReply } from './keychainProtocol.ts';

/*
 * libsecret, and with it keytar, gives nothing both where there is no entry and where it is locked. The Secret Service itself
 * knows: it names what it has, locked or not, without giving a secret away. It is asked by programs that come with systemd
 * (busctl) or GLib (gdbus); a client of our own for two questions is not worth it.
 */

const NAME = 'org.freedesktop.secrets';
const ROOT = '/org/freedesktop/secrets';
const SERVICE = 'org.freedesktop.Secret.Service';
const COLLECTION = 'org.freedesktop.Secret.Collection';
const DEFAULT = `${ROOT}/aliases/default`;
const LIMIT_MS = 1_000;

type Run = (file: string, args: readonly string[]) => Promise<string>;

const run: Run = async (file, args) =>
  (await promisify(execFile)(file, [...args], { timeout: LIMIT_MS, windowsHide: true })).stdout;

/** Why the keychain gave nothing for this account. */
export async function whyNothing(
  account: string,
  platform: NodeJS.Platform = process.platform,
  ask: Run = run,
): Promise<Extract<KeychainReply, { kind: 'absent' | 'locked' }>> {
  // Elsewhere a locked keychain is an error.
  if (platform !== 'linux') return { kind: 'absent', isCertain: true };
  for (const isLocked of [byBusctl, byGdbus]) {
    try {
      return (await isLocked(account, ask)) ? { kind: 'locked' } : { kind: 'absent', isCertain: true };
    } catch {
      // The program is not here, or says something else: the next one may do.
    }
  }
  return { kind: 'absent', isCertain: false };
}

/** The entry is among what is locked; or all is, and some keyrings do not say then what they hold. */
async function byBusctl(account: string, ask: Run): Promise<boolean> {
  const call = ['--user', '--json=short'];
  const search = ['SearchItems', 'a{ss}', '2', 'service', KEYCHAIN_SERVICE, 'account', account];
  const found: { data: [string[], string[]] } = JSON.parse(
    await ask('busctl', [...call, 'call', NAME, ROOT, SERVICE, ...search]),
  );
  if (found.data[1].length > 0) return true;
  const locked: { data: unknown } = JSON.parse(
    await ask('busctl', [...call, 'get-property', NAME, DEFAULT, COLLECTION, 'Locked']).catch(
      () => '{"data":false}',
    ),
  );
  return locked.data === true;
}

async function byGdbus(account: string, ask: Run): Promise<boolean> {
  const call = (path: string, method: string, ...args: string[]): Promise<string> =>
    ask('gdbus', ['call', '--session', '--dest', NAME, '--object-path', path, '--method', method, ...args]);
  const attributes = `{'service': '${KEYCHAIN_SERVICE}', 'account': '${account.replaceAll(/[\\']/g, '\\$&')}'}`;
  // ([objectpath '/…/1'], @ao []): what is open, and what is locked.
  const found = /^\((\[.*\]|@ao \[\]), (\[.*\]|@ao \[\])\)$/.exec(
    (await call(ROOT, `${SERVICE}.SearchItems`, attributes)).trim(),
  );
  if (found === null) throw new Error('gdbus answered something else');
  if (found[2] !== '@ao []') return true;
  const property = await call(DEFAULT, 'org.freedesktop.DBus.Properties.Get', COLLECTION, 'Locked').catch(
    () => '',
  );
  return property.includes('<true>');
}
