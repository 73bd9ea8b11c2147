/**
 * A command in the test's own process, from the sources. For what a test only looks at or waits for, and for long
 * tables of refusals: a process of its own costs half a second each time. What a test is about goes through the binary.
 */
import { Readable, Writable } from 'node:stream';
import type { Io } from '../../../src/cli/io.ts';
import { runCommandLine } from '../../../src/cli/program.ts';
import type { Ended } from './agent.ts';

export interface Surroundings {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

export async function runInProcess(args: readonly string[], { cwd, env }: Surroundings): Promise<Ended> {
  const stdout = new Kept();
  const stderr = new Kept();
  // The rest of what the types ask for belongs to terminals.
  const stop = new AbortController().signal;
  const io = { stdin: Readable.from([]), stdout, stderr, env, cwd, stop, onReload: () => () => {} };
  const status = await runCommandLine(['node', 'receiptd', ...args], io as unknown as Io);
  return { status, signal: null, stdout: stdout.text, stderr: stderr.text };
}

class Kept extends Writable {
  text = '';

  constructor() {
    super({ decodeStrings: false });
  }

  override _write(chunk: string | Buffer, _: BufferEncoding, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}
