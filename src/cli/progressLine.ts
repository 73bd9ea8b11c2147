import { Writable } from 'node:stream';
import stringWidth from 'string-width';
import { shortenEnd } from './table.ts';

const CLEAR = '\r\x1b[K';
const CLEAR_BELOW = '\x1b[J';

/**
 * The last line of a terminal, drawn again in place. What is written into the stream stands above it.
 *
 *   empty ──show──▶ drawn ──show, write, resize──▶ drawn ──close──▶ empty
 */
export class ProgressLine extends Writable {
  readonly #terminal: NodeJS.WriteStream;
  #text = '';
  /** Columns of what is on the terminal now. */
  #drawn = 0;
  readonly #resized = (): void => this.#draw();

  constructor(terminal: NodeJS.WriteStream) {
    super({ decodeStrings: false });
    this.#terminal = terminal;
    terminal.on('resize', this.#resized);
    // A terminal that went away must not end the run.
    terminal.on('error', () => {});
  }

  show(text: string): void {
    if (text === this.#text) return;
    this.#text = text;
    this.#draw();
  }

  /** Takes the line away. Idempotent. */
  close(): void {
    this.show('');
    this.#terminal.off('resize', this.#resized);
  }

  /** Whole lines. */
  override _write(lines: string, _encoding: BufferEncoding, done: () => void): void {
    this.#terminal.write(this.#clearing() + lines + this.#drawing());
    done();
  }

  #draw(): void {
    this.#terminal.write(this.#clearing() + this.#drawing());
  }

  /** A terminal that became narrower has wrapped the line. */
  #clearing(): string {
    if (this.#drawn === 0) return '';
    const above = Math.ceil(this.#drawn / this.#columns) - 1;
    this.#drawn = 0;
    return above > 0 ? `\x1b[${above}A\r${CLEAR_BELOW}` : CLEAR;
  }

  /** The last column stays free: with it taken, some terminals go on to the next line. */
  #drawing(): string {
    const text = shortenEnd(this.#text, this.#columns - 1);
    this.#drawn = stringWidth(text);
    return text;
  }

  /** A terminal that does not know its size says 0. */
  get #columns(): number {
    return this.#terminal.columns || 80;
  }
}
