import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { compiledSources } from './compiled.ts';
import { launch } from './launch.ts';

/** URL of a compiled source file of `src`, for child processes to import. */
export async function compile(source: string): Promise<{ url: string }> {
  const file = path.join(await compiledSources(), 'src', source.replace(/\.ts$/, '.js'));
  return { url: pathToFileURL(file).href };
}

export interface Script {
  readonly child: ChildProcess;
  /** The next line of standard output; rejects with the standard error if the process ends first. */
  line(): Promise<string>;
  /** Sends SIGKILL; resolves when the process is gone, also if it was before. */
  kill(): Promise<void>;
}

/** Runs the ES module `code` in a child process. */
export function runScript(code: string): Script {
  const env = { ...process.env };
  const child = launch(process.execPath, ['--input-type=module', '-e', code], { env, stdin: 'pipe' });
  const exited = once(child, 'exit');
  let errors = '';
  let text = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  child.stdout?.on('data', (chunk: Buffer) => {
    text += chunk.toString();
    child.emit('text');
  });
  child.stdout?.on('end', () => child.emit('text'));
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
        if (child.stdout?.readableEnded) throw new Error(`the script ended: ${errors}`);
        await once(child, 'text');
      }
    },
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
