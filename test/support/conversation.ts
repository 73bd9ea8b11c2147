import { stripVTControlCharacters } from 'node:util';
import { drawnScreen } from './drawnScreen.ts';

export const KEYS = {
  enter: '\r',
  escape: '\x1b',
  down: '\x1b[B',
  ctrlC: '\x03',
  ctrlD: '\x04',
  clear: '\x15',
} as const;

const LIMIT_MS = 60_000;
const MOST_CHOICES = 30;

/** What a program shows to somebody who types. */
export abstract class Conversation {
  /** All output, with control sequences. */
  raw = '';
  readonly columns: number;
  /** Questions that were answered. They stay on the screen. */
  readonly #asked: string[] = [];
  /** Offset of the output that no call has waited for yet. */
  #seen = 0;
  #status: number | null | undefined;
  #changed: () => void = () => {};

  constructor(columns: number) {
    this.columns = columns;
  }

  abstract type(text: string): void;

  /** Ends it; call at the end of a test. */
  abstract close(): Promise<void>;

  protected hear(text: string): void {
    this.raw += text;
    this.#changed();
  }

  protected hearEnd(status: number | null): void {
    this.#status = status;
    this.#changed();
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

  /** Waits for a question and answers it. The screen has to show it while it waits, and to the end. `echoes`: what is typed appears. */
  async answers(question: string, answer = '', { echoes = true } = {}): Promise<void> {
    await this.sees(question);
    const before = this.raw.length;
    this.type(answer);
    if (answer !== '' && echoes) await this.#until(() => this.raw.length > before, `an echo of "${answer}"`);
    this.#demandShown(question);
    this.#asked.push(question);
    this.type(KEYS.enter);
  }

  #demandShown(...questions: readonly string[]): void {
    const screen = drawnScreen(this.raw, this.columns);
    const joined = bare(screen.join(''));
    for (const each of questions)
      if (!joined.includes(bare(each)))
        throw new Error(`"${each}" is not on the screen: ${screen.join('\n')}`);
  }

  /** Waits for a question with choices, and picks the one whose label starts with `label`. */
  async chooses(question: string, label: string): Promise<void> {
    await this.sees(question);
    const wanted = `>${bare(label)}`;
    for (let times = 0; times < MOST_CHOICES; times += 1) {
      await this.#until(() => this.#since().includes('>'), `a marked choice of "${question}"`);
      if (this.#since().includes(wanted)) {
        this.#demandShown(question);
        this.#asked.push(question);
        return this.type(KEYS.enter);
      }
      this.#seen = bare(this.shown).length;
      this.type(KEYS.down);
    }
    throw new Error(`"${question}" has no choice "${label}": ${this.shown.slice(-2000)}`);
  }

  /** The exit status. */
  async ends(): Promise<number | null> {
    await this.#until(() => this.#status !== undefined, 'the end');
    this.#demandShown(...this.#asked);
    return this.#status ?? null;
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
