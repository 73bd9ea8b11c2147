/**
 * A command of the built program in the test's own process. For what a test only looks at, waits for or prepares with, and for long
 * tables of refusals: a process of its own costs half a second each time. What a test is about goes through the binary.
 */
import { once } from 'node:events';
import { Readable, Writable } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
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

export function runInProcess(args: readonly string[], surroundings: Surroundings): Promise<Ended> {
  return begun(args, surroundings, new Kept(), new AbortController().signal);
}

/** An agent in the test's own process, for tests that need one beside what they are about. */
export class Resident {
  readonly ended: Promise<Ended>;
  alive = true;
  readonly #stop = new AbortController();
  readonly #stderr = new Kept();

  constructor(args: readonly string[], surroundings: Surroundings) {
    this.ended = begun(['run', ...args], surroundings, this.#stderr, this.#stop.signal).finally(() => {
      this.alive = false;
      this.#stderr.emit('text');
    });
    // Whoever waits for it hears of it.
    this.ended.catch(() => {});
  }

  get stderr(): string {
    return this.#stderr.text;
  }

  /** Waits for a message in the log. */
  async logged(text: string): Promise<void> {
    while (!this.stderr.includes(text)) {
      if (!this.alive) throw new Error(`ended without saying "${text}": ${this.stderr.slice(-2000)}`);
      await once(this.#stderr, 'text');
    }
  }

  /** As SIGTERM does. */
  stop(): Promise<Ended> {
    this.#stop.abort();
    return this.ended;
  }
}

async function begun(
  args: readonly string[],
  { cwd, env, input = '' }: Surroundings,
  stderr: Kept,
  stop: AbortSignal,
): Promise<Ended> {
  const stdout = new Kept();
  // The rest of what the types ask for belongs to terminals.
  const stdin = Readable.from(input === '' ? [] : [Buffer.from(input)]);
  const io = { stdin, stdout, stderr, env, cwd, stop, onReload: () => () => {} };
  const { runCommandLine } = (await import(BUILT)) as typeof CommandLine;
  const running = runCommandLine(['node', 'receiptd', ...args], io as unknown as Io);
  const status = await running.finally(frugalNoMore);
  return { status, signal: null, stdout: stdout.text, stderr: stderr.text };
}

/** An agent has V8 collect garbage early, for the rest of its process. This one has other things in memory, and much more of it. */
function frugalNoMore(): void {
  setFlagsFromString('--heap-growing-percent=0');
}

class Kept extends Writable {
  text = '';

  constructor() {
    super({ decodeStrings: false });
  }

  override _write(chunk: string | Buffer, _: BufferEncoding, done: () => void): void {
    this.text += chunk.toString();
    this.emit('text');
    done();
  }
}
