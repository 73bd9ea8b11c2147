import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { compiledSources } from '../../support/compiled.ts';
import { MUTATIONS, PROMISES } from './mutations.ts';
import { mutate } from './operators.ts';
import { tryMutation } from './run.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const LANGUAGE = new Set(['void', 'null', 'undefined', 'true', 'false', 'this', 'if', 'Promise']);

test.each(MUTATIONS.map((mutation) => [mutation.what, mutation] as const))(
  'the sources have a place for: %s',
  async (_, { edits }) => {
    expect(edits.length).toBeGreaterThan(0);
    for (const file of new Set(edits.map((edit) => edit.file))) {
      const source = await readFile(`${ROOT}/${file}`, 'utf8');
      const own = edits.filter((edit) => edit.file === file);
      expect(mutate(source, own, 'ts')).not.toBe(source);
      for (const edit of own) expect(unknownNames(edit, source), file).toEqual([]);
    }
  },
);

/** Names that the file no longer has. Such a mutation breaks the file for another reason, or for none. */
function unknownNames(edit: object, source: string): string[] {
  const becomes = 'becomes' in edit && typeof edit.becomes === 'string' ? edit.becomes : '';
  const code = becomes.replace(/`[^`]*`|'[^']*'|"[^"]*"/g, "''");
  const names = code.match(/(?<![.\w$])[A-Za-z_]\w*\b(?!\s*:(?!:))/g) ?? [];
  return names.filter((name) => !LANGUAGE.has(name) && !new RegExp(`\\b${name}\\b`).test(source));
}

test('each promise has at least five mutations, each with a unique name', () => {
  for (const promise of PROMISES)
    expect(MUTATIONS.filter(({ promises }) => promises[0] === promise).length, promise).toBeGreaterThan(4);
  expect(new Set(MUTATIONS.map(({ what }) => what)).size).toBe(MUTATIONS.length);
});

test('docs/reliability.md lists each mutation and what catches it', async () => {
  const page = await readFile(`${ROOT}/docs/reliability.md`, 'utf8');
  const rows = new Map([...page.matchAll(/^\| (.+?) +\| (.+?) +\|$/gm)].map(([, what, by]) => [what, by]));
  for (const { what, killedBy } of MUTATIONS)
    expect(rows.get(what), what).toBe(killedBy === 'simulation' ? killedBy : `\`${killedBy}\``);
});

// `npm run mutate` tries all of them.
test('a mutation is killed', { timeout: 240_000 }, async () => {
  const mutation = MUTATIONS.find(({ seeds = 0 }) => seeds === 0)!;
  const build = await compiledSources();
  const { isKilled, by } = await tryMutation(mutation, { build, root: ROOT, workers: 2 });
  expect(isKilled, by).toBe(true);
});
