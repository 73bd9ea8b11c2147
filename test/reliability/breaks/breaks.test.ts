import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { hasGit } from '../../support/git.ts';
import { tempDir } from '../../support/tempDir.ts';
import { apply, PROMISES, readBreaks } from './breaks.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const BREAKS = await readBreaks(ROOT);

/** Syntax, and names or modules that no longer exist. Types may be wrong: the break only has to run. */
const NOT_RUNNING = /error TS(?:1\d\d\d|2304|2305|2307|2551|2552|2724):/;

async function leaveUnchecked(file: string): Promise<void> {
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replace(/^(?:#!.*\n)?/, '$&// @ts-nocheck\n'));
}

describe.skipIf(!hasGit)('breaks', () => {
  it('apply to the sources and still make sense there', async () => {
    const dir = tempDir('breaks');
    // Each changed file beside its original, so that one run of the compiler reads them all. It checks only these.
    await cp(join(ROOT, 'src'), join(dir, 'src'), { recursive: true });
    for (const path of await readdir(join(dir, 'src'), { recursive: true }))
      if (path.endsWith('.ts')) await leaveUnchecked(join(dir, 'src', path));
    await symlink(join(ROOT, 'node_modules'), join(dir, 'node_modules'), 'junction');
    await cp(join(ROOT, 'package.json'), join(dir, 'package.json'));
    const settings = {
      extends: join(ROOT, 'tsconfig.json'),
      compilerOptions: { rootDir: '.' },
      include: ['src'],
      exclude: ['src/console/app'],
    };
    await writeFile(join(dir, 'src', 'nowhere.ts'), 'nowhere;\n');
    await writeFile(join(dir, 'tsconfig.json'), JSON.stringify(settings));
    const place = join(dir, 'copy');
    const named = new Map<string, string>();
    const wrong: string[] = [];
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
        named.set(beside, name);
        await rename(join(place, path), join(dir, beside));
      }
    }
    const compiler = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
    // Several threads would each check what the files have in common.
    const tsc = [compiler, '--noEmit', '--singleThreaded', '-p', dir];
    const { stdout } = await promisify(execFile)(process.execPath, tsc, {
      cwd: dir,
      maxBuffer: 2 ** 26,
    }).catch((error: unknown) => error as { stdout: string });
    for (const line of stdout.split('\n').filter((each) => NOT_RUNNING.test(each)))
      wrong.push(`${named.get(line.split('(', 1)[0] ?? '')}: ${line}`);
    // The compiler reads all of them, and finds what is unknown.
    expect(wrong).toEqual([expect.stringContaining('src/nowhere.ts(1,1)')]);
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
