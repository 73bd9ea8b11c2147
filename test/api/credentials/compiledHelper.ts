import { join } from 'node:path';
import { compiledSources } from '../../support/compiled.ts';

export interface CompiledHelper {
  readonly path: string;
  /** `credentials/source.ts`, compiled beside it. */
  readonly sourcePath: string;
}

/** The keychain helper as JavaScript. `keytar` is found as it would be in an install. */
export async function compiledHelper(): Promise<CompiledHelper> {
  const folder = join(await compiledSources(), 'src', 'api', 'credentials');
  return { path: join(folder, 'keychainHelper.js'), sourcePath: join(folder, 'source.js') };
}
