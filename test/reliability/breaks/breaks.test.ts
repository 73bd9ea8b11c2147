import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { rolldown } from 'rolldown';
import { describe, expect, it } from 'vitest';
import { hasGit } from '../../support/git.ts';
import { tempDir } from '../../support/tempDir.ts';
import { apply, PROMISES, readBreaks } from './breaks.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const BREAKS = await readBreaks(ROOT);

/** Why files can't run: syntax, unknown modules, names that these do not export. Types may be wrong: the break only has to run. */
async function whyNotLinked(cwd: string, files: readonly string[]): Promise<string[]> {
  const bundle = await rolldown({
    cwd,
    input: [...files],
    external: /^(?:node:|@?\w)(?!.*\.ts$)/,
    treeshake: false,
    onLog: () => {},
  });
  return bundle.generate().then(
    () => [],
    (error: { readonly errors?: readonly Error[] }) => (error.errors ?? [error as Error]).map(String),
  );
}

/** Names that nothing declares. */
async function unknownNames(cwd: string, files: readonly string[]): Promise<string[]> {
  const rules = { categories: { correctness: 'off' }, rules: { 'no-undef': 'error' }, env: { node: true } };
  await writeFile(join(cwd, 'lint.json'), JSON.stringify(rules));
  const oxlint = join(ROOT, 'node_modules', 'oxlint', 'bin', 'oxlint');
  const args = [oxlint, '-c', 'lint.json', '-f', 'unix', ...files];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd }).catch(
    (error: unknown) => error as { stdout: string },
  );
  return stdout.split('\n').filter((line) => line.includes('[Error'));
}

describe.skipIf(!hasGit)('breaks', () => {
  it('apply to the sources and still make sense there', async () => {
    const dir = tempDir('breaks');
    // Each changed file beside its original, so that what it imports is there.
    await cp(join(ROOT, 'src'), join(dir, 'src'), { recursive: true });
    await symlink(join(ROOT, 'node_modules'), join(dir, 'node_modules'), 'junction');
    const place = join(dir, 'copy');
    const wrong: string[] = [];
    const files: string[] = [];
    for (const [number, { file, name }] of BREAKS.entries()) {
      const patch = await readFile(file, 'utf8');
      const paths = [...patch.matchAll(/^\+\+\+ b\/(\S+)$/gm)].map(([, path = '']) => path);
      for (const path of paths) {
        await mkdir(dirname(join(place, path)), { recursive: true });
        await cp(join(ROOT, path), join(place, path));
      }
      await apply(file, place).catch((error: unknown) => wrong.push(`${name}: ${String(error)}`));
      for (const path of paths) {
        const beside = path.replace(/\.ts$/, `.break${number}.ts`);
        files.push(beside);
        await rename(join(place, path), join(dir, beside));
      }
    }
    expect(wrong).toEqual([]);
    expect(await unknownNames(dir, files)).toEqual([]);
    expect(await whyNotLinked(dir, files)).toEqual([]);
    // What is unknown would be found.
    const path = 'src/flow/nowhere.ts';
    await writeFile(join(dir, path), "import { nobody } from './flow.ts';\nnobody(nowhere);\n");
    expect(await unknownNames(dir, [path])).toEqual([expect.stringContaining("'nowhere' is not defined")]);
    expect(await whyNotLinked(dir, [path])).toEqual([expect.stringContaining('"nobody" is not exported')]);
  });

  it('say what they break and who notices; each promise has at least five', async () => {
    for (const { name, what, promises, killedBy } of BREAKS) {
      expect(what, name).not.toBe(name);
      expect(PROMISES, name).toEqual(expect.arrayContaining([...promises]));
      expect(name.split('/')[0], name).toBe(promises[0]);
      expect(killedBy, name).toMatch(
        /^(?:simulation(?: seed \d+)?(?: within \d+)?|test\/\S+\.test\.ts(?: > .+)?)$/,
      );
    }
    for (const promise of PROMISES)
      expect(BREAKS.filter(({ promises }) => promises[0] === promise).length, promise).toBeGreaterThan(4);
  });
});
