import YAML from 'yaml';
import type { LoadContext } from './config.ts';
import { draftOf } from './draft.ts';

/** The state directory that a config text means, however much else is wrong with it. */
export function stateDirOf(text: string, file: string, context: LoadContext): string {
  let data: unknown = null;
  try {
    data = YAML.parse(text, { maxAliasCount: 10, logLevel: 'silent' });
  } catch {
    // Then it is where it lies by default, unless a line says so plainly.
    const [, stateDir] = /^stateDir:\s*["']?([^"'#\n]+?)["']?\s*(?:#.*)?$/m.exec(text) ?? [];
    data = { stateDir };
  }
  return draftOf(data, file, context).stateDir.path;
}
