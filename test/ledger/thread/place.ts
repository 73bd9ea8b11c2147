import { fileURLToPath } from 'node:url';
import { compile } from '../../support/scripts.ts';

/** The thread as the agent starts it. */
export async function ledgerThread(): Promise<string> {
  return fileURLToPath((await compile('wiring/ledgerThread.ts')).url);
}
