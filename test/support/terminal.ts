/**
 * A program in a real pseudo-terminal, and somebody who waits for what it shows before they type. `script` comes with every
 * Debian (bsdutils).
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { readFile, readlink } from 'node:fs/promises';
import { stripVTControlCharacters } from 'node:util';
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
  /** Whose terminal it is; one's own if left out. */
  readonly user?: { readonly uid: number; readonly gid: number };
}

const LIMIT_MS = 60_000;
const MOST_CHOICES = 30;

export class Terminal {
  readonly #child: ChildProcess;
  /** Everything that was shown, with its control sequences. */
  raw = '';
  /** Where what was not waited for yet begins. */
  #seen = 0;
  readonly #ended: Promise<number | null>;
  #status: number | null | undefined;
  #changed: () => void = () => {};

  constructor(command: readonly string[], { cwd, env, columns = 80, user }: TerminalOptions) {
    const line = `stty cols ${columns} rows 24; exec ${command.map(quoted).join(' ')}`;
    this.#child = spawn('script', ['-qfec', line, '/dev/null'], {
      cwd,
      env: { ...env, SHELL: '/bin/sh' },
      stdio: 'pipe',
      ...user,
    });
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

  /** As a person reads it: without control sequences. */
  get shown(): string {
    return stripVTControlCharacters(this.raw);
  }

  /** The sequences that set colours. */
  colours(): readonly string[] {
    // oxlint-disable-next-line no-control-regex -- that is what they are made of
    return this.raw.match(/\x1b\[[\d;]*m/g) ?? [];
  }

  /** Waits until this is shown; where lines break makes no difference. What came before is over then. */
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

  /** Waits for a question with choices, and takes the one whose label begins so. */
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

  /** As somebody who drags the window's edge. */
  async resize(columns: number): Promise<void> {
    const device = await readlink(`/proc/${await this.#program()}/fd/0`);
    spawnSync('stty', ['-F', device, 'cols', String(columns)]);
  }

  /** `kill -9` of the program, not of its terminal; nothing where it has ended by itself. */
  async kill(): Promise<void> {
    const program = await this.#program();
    // A signal to 0 would be one to the tests themselves.
    if (program > 1) process.kill(program, 'SIGKILL');
    await this.#ended;
  }

  /** Its process id; NaN where it has ended. */
  async #program(): Promise<number> {
    const pid = this.#child.pid;
    const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
    return Number.parseInt(children, 10);
  }

  /** For the end of a test. */
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
