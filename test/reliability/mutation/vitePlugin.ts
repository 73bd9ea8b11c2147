import { relative } from 'node:path';
import type { Plugin } from 'vite';
import { MUTATIONS } from './mutations.ts';
import { mutate } from './operators.ts';

/** Which mutation the tests run with: its `what`. */
export const MUTATION_VARIABLE = 'RECEIPTD_MUTATION';

/** The sources as a mutation leaves them, for tests that import them; nothing without one. */
export function mutationPlugin(root: string): Plugin[] {
  const what = process.env[MUTATION_VARIABLE];
  if (what === undefined) return [];
  const mutation = MUTATIONS.find((each) => each.what === what);
  if (!mutation) throw new Error(`There is no mutation "${what}".`);
  return [
    {
      name: 'mutation',
      enforce: 'pre',
      transform(code, id) {
        const file = relative(root, id).replaceAll('\\', '/');
        const edits = mutation.edits.filter((edit) => edit.file === file);
        return edits.length === 0 ? null : { code: mutate(code, edits, 'ts'), map: null };
      },
    },
  ];
}
