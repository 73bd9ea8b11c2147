import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCode } from '../../core/domain/errors.ts';
import { absent, asCredentials, flawOf } from './store.ts';
import type { Store } from './store.ts';

/** Names of a unit's credentials: `client_id`, or `client_id_branch` for an account. */
export function unitCredentials(account: string | null): { readonly id: string; readonly secret: string } {
  const end = account === null ? '' : `_${account}`;
  return { id: `client_id${end}`, secret: `client_secret${end}` };
}

/** Credentials from `LoadCredential=client_id:…` and `client_secret:…` in a unit; only systemd creates the directory. */
export function systemdStore(env: NodeJS.ProcessEnv, account: string | null = null): Store {
  const { id, secret } = unitCredentials(account);
  return {
    store: 'systemd',
    async look(signal) {
      const directory = env['CREDENTIALS_DIRECTORY'];
      if (!directory) return absent('systemd', { why: 'noDirectory' });
      const read = (name: string): Promise<string> =>
        readFile(join(directory, name), { encoding: 'utf8', ...(signal ? { signal } : {}) });
      try {
        const given = { clientId: await read(id), clientSecret: await read(secret) };
        const credentials = asCredentials(given.clientId, given.clientSecret);
        if (credentials) return { kind: 'found', credentials };
        return absent('systemd', flawOf(given) ?? { why: 'emptyIn', names: [id, secret], directory });
      } catch (error) {
        if (signal?.aborted) throw signal.reason;
        const system = systemCode(error) ?? 'unknown';
        return absent('systemd', { why: 'unreadable', names: [id, secret], directory, system });
      }
    },
  };
}
