/**
 * Runs a program in a real pseudo-terminal and types like a person who waits for its output first. `script` is on every
 * Debian (bsdutils).
 */
import { spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile, readlink } from 'node:fs/promises';
import { Conversation } from './conversation.ts';
import { launch } from './launch.ts';
import { requirement } from './requires.ts';

export const terminalIsHere = requirement(
  'script',
  process.platform === 'linux' && spawnSync('script', ['--version']).status === 0,
  'Debian: bsdutils',
);

export interface TerminalOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly columns?: number;
  /** The user that runs it; default: the current one. */
  readonly user?: { readonly uid: number; readonly gid: number };
}

export class Terminal extends Conversation {
  readonly #child: ChildProcess;
  readonly #started: Promise<unknown>;
  readonly #ended: Promise<unknown>;

  constructor(command: readonly string[], { cwd, env, columns = 80, user }: TerminalOptions) {
    super(columns);
    const line = `stty cols ${columns} rows 24; exec ${command.map(quoted).join(' ')}`;
    this.#child = launch('script', ['-qfec', line, '/dev/null'], {
      cwd,
      env: { ...env, SHELL: '/bin/sh' },
      stdin: 'pipe',
      ...user,
    });
    this.#started = once(this.#child, 'spawn').catch(() => {});
    this.#child.stdin?.on('error', () => {});
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => this.hear(text));
    this.#ended = once(this.#child, 'close').then(([status]) => this.hearEnd(status as number | null));
    this.#ended.catch(() => {});
  }

  type(text: string): void {
    this.#child.stdin?.write(text);
  }

  /** Resizes the terminal window. */
  async resize(columns: number): Promise<void> {
    const device = await readlink(`/proc/${await this.#program()}/fd/0`);
    spawnSync('stty', ['-F', device, 'cols', String(columns)]);
  }

  /** Sends SIGKILL to the program, not to its terminal; does nothing if it has ended. */
  async kill(): Promise<void> {
    const program = await this.#program();
    // A signal to 0 would hit the test process itself.
    if (program > 1) process.kill(program, 'SIGKILL');
    await this.#ended;
  }

  /** Process id of the program; NaN if it has ended. */
  async #program(): Promise<number> {
    await this.#started;
    const pid = this.#child.pid;
    const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
    return Number.parseInt(children, 10);
  }

  async close(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended.catch(() => {});
  }
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
