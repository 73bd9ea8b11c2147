import { execFile, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { compiledSources } from '../../support/compiled.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

export interface Ended {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs campaigns like `npm run`. Kills those still running when the test ends. */
export async function compileTrials(): Promise<(trial: string, ...args: string[]) => Promise<Ended>> {
  const running = new Set<ChildProcess>();
  onTestFinished(() => {
    for (const child of running) child.kill('SIGKILL');
  });
  const build = await compiledSources();
  return (trial, ...args) =>
    new Promise((resolve) => {
      const main = join(build, 'test', 'reliability', trial, 'main.js');
      // Each process would write coverage data, which these tests do not need.
      const { NODE_V8_COVERAGE: _, ...env } = process.env;
      const options = { cwd: ROOT, env, maxBuffer: 64 * 1024 * 1024 };
      const child = execFile(process.execPath, [main, ...args], options, (error, stdout, stderr) => {
        running.delete(child);
        resolve({ status: error === null ? 0 : Number(error.code ?? -1), stdout, stderr });
      });
      running.add(child);
    });
}
