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
  const streams = { stdout: new Kept(), stderr: new Kept() };
  return begun(args, surroundings, streams, new AbortController().signal);
}

/** An agent in the test's own process, or another command that stays, for tests that need one beside what they are about. */
export class Resident {
  readonly ended: Promise<Ended>;
  alive = true;
  readonly #stop = new AbortController();
  readonly #stderr = new Kept();
  readonly #stdout = new Kept();

  constructor(args: readonly string[], surroundings: Surroundings, command = 'run') {
    const streams = { stdout: this.#stdout, stderr: this.#stderr };
    this.ended = begun([command, ...args], surroundings, streams, this.#stop.signal).finally(() => {
      this.alive = false;
      this.#stderr.emit('text');
      this.#stdout.emit('text');
    });
    // Whoever waits for it hears of it.
    this.ended.catch(() => {});
  }

  get stderr(): string {
    return this.#stderr.text;
  }

  /** Waits for a message in the log. */
  async logged(text: string): Promise<void> {
    await this.#said(this.#stderr, (said) => (said.includes(text) ? text : undefined), text);
  }

  /** Waits for a line on standard output. */
  printed(pattern: RegExp): Promise<string> {
    return this.#said(this.#stdout, (said) => pattern.exec(said)?.[0], String(pattern));
  }

  async #said(stream: Kept, find: (said: string) => string | undefined, what: string): Promise<string> {
    for (;;) {
      const found = find(stream.text);
      if (found !== undefined) return found;
      if (!this.alive) throw new Error(`ended without saying "${what}": ${this.stderr.slice(-2000)}`);
      await once(stream, 'text');
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
  { stdout, stderr }: { readonly stdout: Kept; readonly stderr: Kept },
  stop: AbortSignal,
): Promise<Ended> {
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
