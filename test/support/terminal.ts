/**
 * Runs a program in a real pseudo-terminal and types like a person who waits for its output first. `script` is on every
 * Debian (bsdutils).
 */
import { spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile, readlink } from 'node:fs/promises';
import { stripVTControlCharacters } from 'node:util';
import { launch } from './launch.ts';
import { requirement } from './requires.ts';

export const terminalIsHere = requirement(
  'script',
  process.platform === 'linux' && spawnSync('script', ['--version']).status === 0,
  'Debian: bsdutils',
);

export const KEYS = { enter: '\r', down: '\x1b[B', ctrlC: '\x03', ctrlD: '\x04', clear: '\x15' } as const;

export interface TerminalOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly columns?: number;
  /** The user that runs it; default: the current one. */
  readonly user?: { readonly uid: number; readonly gid: number };
}

const LIMIT_MS = 60_000;
const MOST_CHOICES = 30;

export class Terminal {
  readonly #child: ChildProcess;
  readonly #started: Promise<unknown>;
  /** All output, with control sequences. */
  raw = '';
  /** Offset of the output that no call has waited for yet. */
  #seen = 0;
  readonly #ended: Promise<number | null>;
  #status: number | null | undefined;
  #changed: () => void = () => {};

  constructor(command: readonly string[], { cwd, env, columns = 80, user }: TerminalOptions) {
    const line = `stty cols ${columns} rows 24; exec ${command.map(quoted).join(' ')}`;
    this.#child = launch('script', ['-qfec', line, '/dev/null'], {
      cwd,
      env: { ...env, SHELL: '/bin/sh' },
      stdin: 'pipe',
      ...user,
    });
    this.#started = once(this.#child, 'spawn').catch(() => {});
    this.#child.stdin?.on('error', () => {});
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.raw += text;
      this.#changed();
    });
    this.#ended = new Promise((resolve, reject) => {
      this.#child.once('error', reject);
      this.#child.once('close', (status) => {
        this.#status = status;
        this.#changed();
        resolve(status);
      });
    });
  }

  /** All output, without control sequences. */
  get shown(): string {
    return stripVTControlCharacters(this.raw);
  }

  /** The sequences that set colours. */
  colours(): readonly string[] {
    // oxlint-disable-next-line no-control-regex -- that is what they are made of
    return this.raw.match(/\x1b\[[\d;]*m/g) ?? [];
  }

  /** Waits until `words` are shown, ignoring line breaks. Later calls only look at the output after them. */
  async sees(words: string): Promise<void> {
    const wanted = bare(words);
    await this.#until(() => {
      const found = this.#since().indexOf(wanted);
      if (found >= 0) this.#seen += found + wanted.length;
      return found >= 0;
    }, `"${words}"`);
  }

  type(text: string): void {
    this.#child.stdin?.write(text);
  }

  /** Waits for a question and answers it. */
  async answers(question: string, answer = ''): Promise<void> {
    await this.sees(question);
    this.type(answer + KEYS.enter);
  }

  /** Waits for a question with choices, and picks the one whose label starts with `label`. */
  async chooses(question: string, label: string): Promise<void> {
    await this.sees(question);
    const wanted = `>${bare(label)}`;
    for (let times = 0; times < MOST_CHOICES; times += 1) {
      await this.#until(() => this.#since().includes('>'), `a marked choice of "${question}"`);
      if (this.#since().includes(wanted)) return this.type(KEYS.enter);
      this.#seen = bare(this.shown).length;
      this.type(KEYS.down);
    }
    throw new Error(`"${question}" has no choice "${label}": ${this.shown.slice(-2000)}`);
  }

  /** The exit status. */
  async ends(): Promise<number | null> {
    await this.#until(() => this.#status !== undefined, 'the end');
    return this.#ended;
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

  /** Ends the terminal; call at the end of a test. */
  async close(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended.catch(() => {});
  }

  #since(): string {
    return bare(this.shown).slice(this.#seen);
  }

  async #until(condition: () => boolean, what: string): Promise<void> {
    const deadline = Date.now() + LIMIT_MS;
    while (!condition()) {
      const left = deadline - Date.now();
      if (left <= 0 || (this.#status !== undefined && !condition()))
        throw new Error(
          `${left <= 0 ? 'waited too long for' : 'ended before'} ${what}: ${this.shown.slice(-3000)}`,
        );
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, Math.min(left, 1_000));
        this.#changed = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }
}

function bare(text: string): string {
  return text.replace(/\s+/g, '');
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
