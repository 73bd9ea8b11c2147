import { absent, asCredentials } from './store.ts';
import type { Store } from './store.ts';

const ID = 'RECEIPTD_CLIENT_ID';
const SECRET = 'RECEIPTD_CLIENT_SECRET';

export function environmentStore(env: NodeJS.ProcessEnv): Store {
  return {
    store: 'environment',
    async look() {
      const credentials = asCredentials(env[ID], env[SECRET]);
      if (credentials) return { kind: 'found', credentials };
      const missing = [ID, SECRET].filter((name) => (env[name] ?? '').trim() === '');
      return absent(`the environment (no ${missing.join(', no ')})`);
    },
  };
}
