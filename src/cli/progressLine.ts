import { Writable } from 'node:stream';
import stringWidth from 'string-width';
import { shortenEnd } from './table.ts';

const CLEAR = '\r\x1b[K';
const CLEAR_BELOW = '\x1b[J';

/**
 * The last line of a terminal, redrawn in place. Text written to the stream appears above it.
 *
 *   empty ──show──▶ drawn ──show, write, resize──▶ drawn ──close──▶ empty
 */
export class ProgressLine extends Writable {
  readonly #terminal: NodeJS.WriteStream;
  #text = '';
  /** Width of the drawn line, in columns. */
  #drawn = 0;
  readonly #resized = (): void => this.#draw();

  constructor(terminal: NodeJS.WriteStream) {
    super({ decodeStrings: false });
    this.#terminal = terminal;
    terminal.on('resize', this.#resized);
    // A closed terminal must not end the run.
    terminal.on('error', () => {});
  }

  show(text: string): void {
    if (text === this.#text) return;
    this.#text = text;
    this.#draw();
  }

  /** Removes the line. Idempotent. */
  close(): void {
    this.show('');
    this.#terminal.off('resize', this.#resized);
  }

  /** `lines` must be complete lines. */
  override _write(lines: string, _encoding: BufferEncoding, done: () => void): void {
    this.#terminal.write(this.#clearing() + lines + this.#drawing());
    done();
  }

  #draw(): void {
    this.#terminal.write(this.#clearing() + this.#drawing());
  }

  /** Clears all rows of the line: a terminal that became narrower has wrapped it. */
  #clearing(): string {
    if (this.#drawn === 0) return '';
    const above = Math.ceil(this.#drawn / this.#columns) - 1;
    this.#drawn = 0;
    return above > 0 ? `\x1b[${above}A\r${CLEAR_BELOW}` : CLEAR;
  }

  /** Leaves the last column free, because some terminals wrap after filling it. */
  #drawing(): string {
    const text = shortenEnd(this.#text, this.#columns - 1);
    this.#drawn = stringWidth(text);
    return text;
  }

  /** A terminal of unknown size reports 0. */
  get #columns(): number {
    return this.#terminal.columns || 80;
  }
}
