import { execFile, type ChildProcess } from 'node:child_process';
import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

export interface Ended {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The trials as `npm run` would run them, compiled from the sources as they are now. Removed when the test is over. */
export async function compileTrials(): Promise<(trial: string, ...args: string[]) => Promise<Ended>> {
  const dir = await mkdtemp(join(tmpdir(), 'receiptd-trials-'));
  const running = new Set<ChildProcess>();
  onTestFinished(async () => {
    for (const child of running) child.kill('SIGKILL');
    await rm(dir, { recursive: true, force: true });
  });
  await symlink(join(ROOT, 'node_modules'), join(dir, 'node_modules'), 'junction');
  await cp(join(ROOT, 'package.json'), join(dir, 'package.json'));
  const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  const build = join(dir, 'build');
  await promisify(execFile)(process.execPath, [
    tsc,
    '-p',
    join(ROOT, 'tsconfig.trials.json'),
    '--outDir',
    build,
  ]);
  await cp(join(ROOT, 'package.json'), join(build, 'package.json'));
  return (trial, ...args) =>
    new Promise((resolve) => {
      const main = join(build, 'test', 'reliability', trial, 'main.js');
      // Coverage would be written by each of its processes, and is not what this is about.
      const { NODE_V8_COVERAGE: _, ...env } = process.env;
      const options = { cwd: ROOT, env, maxBuffer: 64 * 1024 * 1024 };
      const child = execFile(process.execPath, [main, ...args], options, (error, stdout, stderr) => {
        running.delete(child);
        resolve({ status: error === null ? 0 : Number(error.code ?? -1), stdout, stderr });
      });
      running.add(child);
    });
}
