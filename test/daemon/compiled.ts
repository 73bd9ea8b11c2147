import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Compiles one source file and what it imports, so that real child processes can run it as it is now. */
export async function compile(source: string): Promise<{ url: string; remove(): Promise<void> }> {
  const dir = await mkdtemp(path.join(os.tmpdir(), 'receiptd-compiled-'));
  await symlink(path.join(ROOT, 'node_modules'), path.join(dir, 'node_modules'), 'junction');
  await writeFile(path.join(dir, 'package.json'), '{ "type": "module" }');
  await writeFile(
    path.join(dir, 'tsconfig.json'),
    JSON.stringify({
      extends: path.join(ROOT, 'tsconfig.trials.json'),
      compilerOptions: {
        rootDir: path.join(ROOT, 'src'),
        outDir: path.join(dir, 'out'),
        typeRoots: [path.join(ROOT, 'node_modules', '@types')],
      },
      include: [path.join(ROOT, 'src', source)],
    }),
  );
  const tsc = path.join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  await promisify(execFile)(process.execPath, [tsc, '-p', dir]);
  return {
    url: pathToFileURL(path.join(dir, 'out', source.replace(/\.ts$/, '.js'))).href,
    remove: () => rm(dir, { recursive: true, force: true }),
  };
}

export interface Script {
  readonly child: ChildProcess;
  /** The next line on standard output; rejects with what it wrote to standard error if it ends before that. */
  line(): Promise<string>;
  /** Kills it as `kill -9` does; resolves when it is gone. Nothing happens if it is gone already. */
  kill(): Promise<void>;
}

/** Runs an ES module given as text in a process of its own. */
export function runScript(code: string): Script {
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit');
  let errors = '';
  let text = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  child.stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString();
    child.emit('text');
  });
  child.stdout.on('end', () => child.emit('text'));
  return {
    child,
    async line() {
      for (;;) {
        const end = text.indexOf('\n');
        if (end >= 0) {
          const line = text.slice(0, end);
          text = text.slice(end + 1);
          return line;
        }
        if (child.stdout.readableEnded) throw new Error(`the script ended: ${errors}`);
        await once(child, 'text');
      }
    },
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
