import { Writable } from 'node:stream';

/** Characters that wait for a reader who stands still. */
const MOST_WAITING = 1_000_000;

/**
 * Writes the first line at once and gathers further ones until the next turn of the event loop: each write to a
 * terminal, file or pipe blocks, and a burst can have thousands of lines.
 */
export class TerminalLines extends Writable {
  readonly #terminal: NodeJS.WritableStream;
  readonly #onLeftOut: (lines: number) => void;
  #waiting = 0;
  #leftOut = 0;

  /** @param onLeftOut called once everything that waited is taken, if lines were left out meanwhile */
  constructor(terminal: NodeJS.WritableStream, onLeftOut: (lines: number) => void) {
    super({ decodeStrings: false });
    this.#terminal = terminal;
    this.#onLeftOut = onLeftOut;
  }

  /** Ask before each line: false if nobody reads, so that the line is left out. Else it would be kept in memory. */
  accepts(): boolean {
    if (this.#waiting < MOST_WAITING) return true;
    this.#leftOut += 1;
    return false;
  }

  override _write(line: string, _encoding: BufferEncoding, done: () => void): void {
    this.#put(line, done);
  }

  override _writev(lines: readonly { readonly chunk: string }[], done: () => void): void {
    this.#put(lines.map(({ chunk }) => chunk).join(''), done);
  }

  #put(text: string, done: () => void): void {
    this.#waiting += text.length;
    this.#terminal.write(text, () => this.#taken(text.length));
    setImmediate(done);
  }

  #taken(length: number): void {
    this.#waiting -= length;
    if (this.#waiting > 0 || this.#leftOut === 0) return;
    const lines = this.#leftOut;
    this.#leftOut = 0;
    this.#onLeftOut(lines);
  }
}
