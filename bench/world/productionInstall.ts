import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';

/*
 * A production install: the files of the package, and the packages that it needs at run time according to the lock
 * file.
 */

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const run = promisify(execFile);

const manifest = z.looseObject({ files: z.array(z.string()), scripts: z.unknown() });
const lock = z.object({
  packages: z.record(
    z.string(),
    z.object({
      dev: z.boolean().optional(),
      optional: z.boolean().optional(),
      devOptional: z.boolean().optional(),
    }),
  ),
});

/** Copies the package's own files, without the scripts that build it. */
export async function copyPackage(to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  const { scripts: _, ...rest } = manifest.parse(
    JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')),
  );
  await writeFile(join(to, 'package.json'), JSON.stringify(rest));
  const left = new Set(
    rest.files.filter((file) => file.startsWith('!')).map((file) => join(ROOT, file.slice(1))),
  );
  const own = [...rest.files.filter((file) => !file.startsWith('!')), 'README.md', 'LICENSE'];
  for (const file of own) {
    const filter = (from: string): boolean => !left.has(from);
    await cp(join(ROOT, file), join(to, file), { recursive: true, filter, dereference: true });
  }
}

/** Runs `npm ci`. @returns seconds; null if it takes longer than `withinMs`. @throws Error with npm's message if it fails */
export async function npmCi(
  dir: string,
  withinMs: number,
  ...options: readonly string[]
): Promise<number | null> {
  await rm(join(dir, 'node_modules'), { recursive: true, force: true });
  for (const file of ['package-lock.json', '.npmrc']) await cp(join(ROOT, file), join(dir, file));
  const from = performance.now();
  const signal = AbortSignal.timeout(withinMs);
  try {
    await run('npm', ['ci', '--omit=dev', '--no-audit', '--no-fund', ...options], { cwd: dir, signal });
    return (performance.now() - from) / 1_000;
  } catch (error) {
    if (signal.aborted) return null;
    throw error;
  }
}

/** Paths of the packages in the lock file, without those for development. */
export async function lockedPackages(): Promise<{ readonly needed: string[]; readonly optional: string[] }> {
  const { packages } = lock.parse(JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8')));
  const used = Object.entries(packages).filter(([path, { dev }]) => path !== '' && dev !== true);
  const isOptional = ([, each]: (typeof used)[number]): boolean =>
    each.optional === true || each.devOptional === true;
  return {
    needed: used.filter((each) => !isOptional(each)).map(([path]) => path),
    optional: used.filter(isOptional).map(([path]) => path),
  };
}

/** Total size and number of the files below a directory. */
export async function sizeOf(dir: string): Promise<{ readonly bytes: number; readonly files: number }> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  let bytes = 0;
  for (const { parentPath, name } of files) bytes += (await stat(join(parentPath, name))).size;
  return { bytes, files: files.length };
}
