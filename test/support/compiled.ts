/**
 * The sources as JavaScript, for child processes and worker threads: Node 20 does not run TypeScript, and `dist` may be stale.
 * Compiled once a run, by the first suite that asks.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const LOOK_EVERY_MS = 100;

/** Vitest's global set-up: creates a directory known to all workers. */
export default async function setup(): Promise<() => Promise<void>> {
  if (process.env['RECEIPTD_TEST_COMPILED'] !== undefined) return () => Promise.resolve();
  const dir = await mkdtemp(join(tmpdir(), 'receiptd-compiled-'));
  // Some tests run the compiled code as an ordinary user.
  await chmod(dir, 0o755);
  process.env['RECEIPTD_TEST_COMPILED'] = dir;
  return () => rm(dir, { recursive: true, force: true });
}

/** The directory with compiled `src`, `test/reliability` and `bench`, not type-checked. All suites share it: read-only. */
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
  /** URL of the compiled file of `src`. */
  readonly url: (source: string) => string;
}

export async function sourceUrls(): Promise<SourceUrls> {
  const build = await compiledSources();
  return { url: (source) => pathToFileURL(join(build, 'src', source.replace(/\.ts$/, '.js'))).href };
}

/** @returns the marker file to write for those waiting */
async function attempt(dir: string, build: string, done: string, failed: string): Promise<string> {
  try {
    await compileInto(dir, build);
    return done;
  } catch {
    return failed;
  }
}

async function compileInto(dir: string, build: string): Promise<void> {
  // Packages resolve as they would in an install.
  await symlink(join(ROOT, 'node_modules'), join(dir, 'node_modules'), 'junction');
  const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  const project = join(ROOT, 'tsconfig.trials.json');
  await promisify(execFile)(process.execPath, [tsc, '-p', project, '--noCheck', '--outDir', build]);
  for (const place of [dir, build]) await cp(join(ROOT, 'package.json'), join(place, 'package.json'));
}
