import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCode } from '../domain/errors.ts';
import { absent, asCredentials } from './store.ts';
import type { Store } from './store.ts';

/** `LoadCredential=client_id:…` and `client_secret:…` of a unit; systemd alone sets up the directory. */
export function systemdStore(env: NodeJS.ProcessEnv): Store {
  return {
    store: 'systemd',
    async look(signal) {
      const directory = env['CREDENTIALS_DIRECTORY'];
      if (!directory) return absent("systemd's credentials (no CREDENTIALS_DIRECTORY)");
      const read = (name: string): Promise<string> =>
        readFile(join(directory, name), { encoding: 'utf8', ...(signal ? { signal } : {}) });
      try {
        const credentials = asCredentials(await read('client_id'), await read('client_secret'));
        if (credentials) return { kind: 'found', credentials };
        return absent(`systemd's credentials (client_id or client_secret in ${directory} is empty)`);
      } catch (error) {
        if (signal?.aborted) throw signal.reason;
        return absent(
          `systemd's credentials (client_id or client_secret in ${directory}: ${systemCode(error)})`,
        );
      }
    },
  };
}
