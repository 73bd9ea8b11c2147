import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { compiledSources } from './compiled.ts';

/** A source file, compiled with what it imports, so that real child processes can run it as it is now. */
export async function compile(source: string): Promise<{ url: string }> {
  const file = path.join(await compiledSources(), 'src', source.replace(/\.ts$/, '.js'));
  return { url: pathToFileURL(file).href };
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
