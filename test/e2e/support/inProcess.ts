/**
 * Runs commands of the built program in the test's process, because a child process costs half a second. For preparing, polling and
 * comparing, and for long tables of refusals; the command under test uses the binary.
 */
import { once } from 'node:events';
import { syncBuiltinESMExports } from 'node:module';
import { PassThrough, Readable, Writable } from 'node:stream';
import v8 from 'node:v8';
import type { Io } from '../../../src/cli/io.ts';
import type * as CommandLine from '../../../src/cli/program.ts';
import { Conversation, KEYS } from '../../support/conversation.ts';
import type { Ended } from './agent.ts';

// An agent tunes the engine of its process to take little memory. With the heap of a test process, the garbage collector would take a
// third of the processor time.
const { setFlagsFromString } = v8;
v8.setFlagsFromString = (flag) => {
  if (!/^--(?:heap-growing|wasm-tiering|max-inlined)/.test(flag)) setFlagsFromString(flag);
};
syncBuiltinESMExports();

export interface Surroundings {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Standard input; default: empty. */
  readonly input?: string;
}

/** The built module with which main.js runs commands. Built code, because threads are loaded from files next to it. */
const BUILT = new URL('../../../dist/begin.js', import.meta.url).href;

export function runInProcess(args: readonly string[], surroundings: Surroundings): Promise<Ended> {
  const streams = { stdout: new Kept(), stderr: new Kept() };
  return begun(args, surroundings, streams, new AbortController().signal);
}

/** An agent, or another long-running command, in the test's process, for tests that only need it in the background. */
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
    // Callers that await it still get the error.
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

  /** Stops it like SIGTERM. */
  stop(): Promise<Ended> {
    this.#stop.abort();
    return this.ended;
  }
}

/** A command in the test's process whose streams claim to be a terminal, for questions and answers. It echoes nothing. */
export class QuickTerminal extends Conversation {
  readonly #stdin = Object.assign(new PassThrough(), {
    isTTY: true,
    isRaw: false,
    setRawMode(this: { isRaw: boolean }, isRaw: boolean) {
      this.isRaw = isRaw;
      return this;
    },
  });
  readonly #stop = new AbortController();
  readonly #ended: Promise<void>;

  constructor(args: readonly string[], { cwd, env }: Surroundings, columns: number) {
    super(columns);
    const screen = () => {
      const output = new Kept().on('text', (text: string) => this.hear(text.replaceAll('\n', '\r\n')));
      // The prompt library ends its output after each question, unless that is the stdout of the process.
      return Object.assign(output, { isTTY: true, columns, rows: 24, end: () => output });
    };
    const streams = { stdin: this.#stdin, stdout: screen(), stderr: screen() };
    this.#ended = begun(args, { cwd, env }, streams, this.#stop.signal).then(({ status }) =>
      this.hearEnd(status),
    );
    this.#ended.catch(() => this.hearEnd(null));
  }

  type(text: string): void {
    if (text === KEYS.ctrlC && !this.#stdin.isRaw) this.#stop.abort();
    else this.#stdin.write(text);
  }

  close(): Promise<void> {
    this.#stop.abort();
    return this.#ended;
  }
}

interface Streams {
  readonly stdin?: Readable;
  readonly stdout: Kept;
  readonly stderr: Kept;
}

async function begun(
  args: readonly string[],
  { cwd, env, input = '' }: Surroundings,
  // The other members of the type are only for terminals.
  { stdin = Readable.from(input === '' ? [] : [Buffer.from(input)]), stdout, stderr }: Streams,
  stop: AbortSignal,
): Promise<Ended> {
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
    this.emit('text', chunk.toString());
    done();
  }
}
