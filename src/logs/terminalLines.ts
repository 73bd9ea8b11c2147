import { Writable } from 'node:stream';

/**
 * Writes the first line at once and gathers further ones until the next turn of the event loop: each write to a
 * terminal, file or pipe blocks, and a burst can have thousands of lines.
 */
export class TerminalLines extends Writable {
  readonly #terminal: NodeJS.WritableStream;

  constructor(terminal: NodeJS.WritableStream) {
    super({ decodeStrings: false });
    this.#terminal = terminal;
  }

  override _write(line: string, _encoding: BufferEncoding, done: () => void): void {
    this.#put(line, done);
  }

  override _writev(lines: readonly { readonly chunk: string }[], done: () => void): void {
    this.#put(lines.map(({ chunk }) => chunk).join(''), done);
  }

  #put(text: string, done: () => void): void {
    this.#terminal.write(text);
    setImmediate(done);
  }
}
