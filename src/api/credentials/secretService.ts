import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { HELPER_MARGIN_MS, KEYCHAIN_SERVICE, READ_LIMIT_MS } from './keychainProtocol.ts';
import type { KeychainReply } from './keychainProtocol.ts';

/*
 * libsecret, and therefore keytar, returns nothing both for a missing entry and for a locked one. The Secret Service itself can
 * tell: it lists entries, locked or not, without revealing secrets. It is queried by busctl (of systemd) or gdbus (of GLib),
 * because two queries don't justify a client of our own.
 */

const NAME = 'org.freedesktop.secrets';
const ROOT = '/org/freedesktop/secrets';
const SERVICE = 'org.freedesktop.Secret.Service';
const COLLECTION = 'org.freedesktop.Secret.Collection';
const DEFAULT = `${ROOT}/aliases/default`;
/** Each program is run at most twice. */
const LIMIT_MS = (READ_LIMIT_MS - HELPER_MARGIN_MS) / 4;

type RunTool = (file: string, args: readonly string[]) => Promise<string>;

const run: RunTool = async (file, args) =>
  (await promisify(execFile)(file, [...args], { timeout: LIMIT_MS, windowsHide: true })).stdout;

/** Why the keychain returned nothing for this account. */
export async function whyNothing(
  account: string,
  platform: NodeJS.Platform = process.platform,
  ask: RunTool = run,
): Promise<Extract<KeychainReply, { kind: 'absent' | 'locked' }>> {
  // On other systems, a locked keychain is an error.
  if (platform !== 'linux') return { kind: 'absent', isCertain: true };
  for (const isLocked of [byBusctl, byGdbus]) {
    try {
      return (await isLocked(account, ask)) ? { kind: 'locked' } : { kind: 'absent', isCertain: true };
    } catch {
      // The program is missing or answered unexpectedly: try the next one.
    }
  }
  return { kind: 'absent', isCertain: false };
}

/** True if the entry is among the locked ones, or if the collection is locked: some keyrings don't list entries then. */
async function byBusctl(account: string, ask: RunTool): Promise<boolean> {
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

async function byGdbus(account: string, ask: RunTool): Promise<boolean> {
  const call = (path: string, method: string, ...args: string[]): Promise<string> =>
    ask('gdbus', ['call', '--session', '--dest', NAME, '--object-path', path, '--method', method, ...args]);
  const attributes = `{'service': '${KEYCHAIN_SERVICE}', 'account': '${account.replaceAll(/[\\']/g, '\\$&')}'}`;
  // Such as ([objectpath '/…/1'], @ao []): unlocked entries, locked entries.
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
