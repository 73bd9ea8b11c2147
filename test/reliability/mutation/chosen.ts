import { readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { Plugin } from 'vite';
import { MUTATIONS, type Mutation } from './mutations.ts';
import { mutate } from './operators.ts';

/** Selects the mutation that the tests run with, by its `what`. */
export const MUTATION_VARIABLE = 'RECEIPTD_MUTATION';

function chosen(): Mutation | null {
  const what = process.env[MUTATION_VARIABLE];
  if (what === undefined) return null;
  const mutation = MUTATIONS.find((each) => each.what === what);
  if (!mutation) throw new Error(`There is no mutation "${what}".`);
  return mutation;
}

/** Applies the chosen mutation to sources that tests import. */
export function mutationPlugin(root: string): Plugin[] {
  const mutation = chosen();
  if (mutation === null) return [];
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

/** Applies it to the compiled sources that tests run as processes. */
export async function mutateCompiled(build: string): Promise<void> {
  const mutation = chosen();
  if (mutation !== null) await mutateFiles(build, mutation);
}

export async function mutateFiles(build: string, { edits }: Mutation): Promise<void> {
  for (const file of new Set(edits.map((edit) => edit.file))) {
    const path = join(build, file.replace(/\.ts$/, '.js'));
    const own = edits.filter((edit) => edit.file === file);
    await writeFile(path, mutate(await readFile(path, 'utf8'), own, 'js'));
  }
}
