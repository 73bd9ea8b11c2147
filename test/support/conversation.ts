import { stripVTControlCharacters } from 'node:util';

export const KEYS = { enter: '\r', down: '\x1b[B', ctrlC: '\x03', ctrlD: '\x04', clear: '\x15' } as const;

const LIMIT_MS = 60_000;
const MOST_CHOICES = 30;

/** What a program shows to somebody who types. */
export abstract class Conversation {
  /** All output, with control sequences. */
  raw = '';
  /** Offset of the output that no call has waited for yet. */
  #seen = 0;
  #status: number | null | undefined;
  #changed: () => void = () => {};

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
