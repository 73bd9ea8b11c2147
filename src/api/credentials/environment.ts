import { absent, asCredentials, flawOf } from './store.ts';
import type { Store } from './store.ts';

const CLIENT_ID = 'RECEIPTD_CLIENT_ID';
const CLIENT_SECRET = 'RECEIPTD_CLIENT_SECRET';

/** The variable of an account, such as `RECEIPTD_CLIENT_ID_BRANCH`. The configuration ensures that no two accounts share one. */
function variableOf(base: string, account: string | null): string {
  return account === null ? base : `${base}_${account.toUpperCase().replaceAll('-', '_')}`;
}

export function environmentStore(env: NodeJS.ProcessEnv, account: string | null = null): Store {
  const id = variableOf(CLIENT_ID, account);
  const secret = variableOf(CLIENT_SECRET, account);
  return {
    store: 'environment',
    async look() {
      const credentials = asCredentials(env[id], env[secret]);
      if (credentials) return { kind: 'found', credentials };
      const flaw = flawOf({ clientId: env[id] ?? '', clientSecret: env[secret] ?? '' });
      if (flaw !== null) return absent('environment', flaw);
      const missing = [id, secret].filter((name) => (env[name] ?? '').trim() === '');
      return absent('environment', { why: 'unset', names: missing });
    },
  };
}
