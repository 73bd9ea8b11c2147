import YAML from 'yaml';
import type { LoadContext } from './config.ts';
import { draftOf } from './draft.ts';

/** The state directory of a config text, even if the rest of it is invalid. */
export function stateDirOf(text: string, file: string, context: LoadContext): string {
  let data: unknown = null;
  try {
    data = YAML.parse(text, { maxAliasCount: 10, logLevel: 'silent' });
  } catch {
    // Not YAML: use a line that plainly sets stateDir, else the default.
    const [, stateDir] = /^stateDir:\s*["']?([^"'#\n]+?)["']?\s*(?:#.*)?$/m.exec(text) ?? [];
    data = { stateDir };
  }
  return draftOf(data, file, context).stateDir.path;
}
