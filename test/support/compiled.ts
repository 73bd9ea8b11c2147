/**
 * The sources as JavaScript, for processes and threads of their own: Node 20 runs no TypeScript, and `dist` may be older.
 * Compiled once for all suites of a run, by the first that asks.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { mutateCompiled } from '../reliability/mutation/chosen.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const LOOK_EVERY_MS = 100;

/** Vitest's global set-up: a place that all its workers know. */
export default async function setup(): Promise<() => Promise<void>> {
  if (process.env['RECEIPTD_TEST_COMPILED'] !== undefined) return () => Promise.resolve();
  const dir = await mkdtemp(join(tmpdir(), 'receiptd-compiled-'));
  // Some of it runs as an ordinary user.
  await chmod(dir, 0o755);
  process.env['RECEIPTD_TEST_COMPILED'] = dir;
  return () => rm(dir, { recursive: true, force: true });
}

/** The directory that holds `src`, `test/reliability` and `bench`, compiled; what types say is checked elsewhere. Nobody changes anything in it. */
export async function compiledSources(): Promise<string> {
  const dir = process.env['RECEIPTD_TEST_COMPILED'];
  if (dir === undefined) throw new Error('vitest.config.ts has no globalSetup');
  const build = join(dir, 'build');
  const [done, failed] = [join(dir, 'done'), join(dir, 'failed')];
  const isFirst = await mkdir(join(dir, 'begun')).then(
    () => true,
    () => false,
  );
  if (isFirst) await writeFile(await attempt(dir, build, done, failed), '');
  while (!existsSync(done)) {
    if (existsSync(failed)) throw new Error('The sources do not compile: npm run types.');
    await sleep(LOOK_EVERY_MS);
  }
  return build;
}

export interface SourceUrls {
  /** Where a file of `src` is, compiled. */
  readonly url: (source: string) => string;
}

export async function sourceUrls(): Promise<SourceUrls> {
  const build = await compiledSources();
  return { url: (source) => pathToFileURL(join(build, 'src', source.replace(/\.ts$/, '.js'))).href };
}

/** @returns the mark to leave for those who wait */
async function attempt(dir: string, build: string, done: string, failed: string): Promise<string> {
  try {
    await compileInto(dir, build);
    return done;
  } catch {
    return failed;
  }
}

async function compileInto(dir: string, build: string): Promise<void> {
  // Packages are found as they would be in an install.
  await symlink(join(ROOT, 'node_modules'), join(dir, 'node_modules'), 'junction');
  const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  const project = join(ROOT, 'tsconfig.trials.json');
  await promisify(execFile)(process.execPath, [tsc, '-p', project, '--noCheck', '--outDir', build]);
  await mutateCompiled(build);
  for (const place of [dir, build]) await cp(join(ROOT, 'package.json'), join(place, 'package.json'));
}
