import { randomBytes } from 'node:crypto';
import type { Config } from '../config/config.ts';
import { callIfRunning } from '../control/client.ts';
import { resultsPath } from '../core/domain/resultsPath.ts';
import { resultsSecret } from '../features/results/secret.ts';
import { prepareStateDir } from '../state-dir/stateDir.ts';
import { ReceiptdError } from '../core/domain/errors.ts';

/** Asks the running agent first: other admins can't read the secret's file, which belongs to the agent's user. */
export async function resultsPathOf(config: Config, uid: string | null): Promise<string> {
  const answer = await callIfRunning(config.stateDir, 'resultsPath', uid === null ? {} : { uid });
  if (answer !== null) return answer.path;
  await prepareStateDir(config);
  return resultsPath(await resultsSecret(config.stateDir, randomBytes), uid);
}

/** A web address; may include a path prefix of a reverse proxy. */
export function webBase(option: string, text: string): string {
  const parsed = URL.canParse(text) ? new URL(text) : null;
  const isWeb = parsed?.protocol === 'https:' || parsed?.protocol === 'http:';
  if (parsed === null || !isWeb || parsed.search !== '' || parsed.hash !== '' || parsed.username !== '') {
    throw new ReceiptdError('USAGE.notBaseAddress', { option, text });
  }
  return text.replace(/\/+$/, '');
}
