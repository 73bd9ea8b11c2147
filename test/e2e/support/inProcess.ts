/**
 * A command of the built program in the test's own process. For what a test only looks at, waits for or prepares with, and for long
 * tables of refusals: a process of its own costs half a second each time. What a test is about goes through the binary.
 */
import { Readable, Writable } from 'node:stream';
import type { Io } from '../../../src/cli/io.ts';
import type * as CommandLine from '../../../src/cli/program.ts';
import type { Ended } from './agent.ts';

export interface Surroundings {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Standard input; nothing if left out. */
  readonly input?: string;
}

/** The file of the build that main.js runs commands by. Built, so that threads are found beside it, and a run can send. */
const BUILT = new URL('../../../dist/begin.js', import.meta.url).href;

export async function runInProcess(
  args: readonly string[],
  { cwd, env, input = '' }: Surroundings,
): Promise<Ended> {
  const stdout = new Kept();
  const stderr = new Kept();
  // The rest of what the types ask for belongs to terminals.
  const stop = new AbortController().signal;
  const stdin = Readable.from(input === '' ? [] : [Buffer.from(input)]);
  const io = { stdin, stdout, stderr, env, cwd, stop, onReload: () => () => {} };
  const { runCommandLine } = (await import(BUILT)) as typeof CommandLine;
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
