import stringWidth from 'string-width';
import type { Io } from './io.ts';
import { wrapLine } from './wrap.ts';

const ENTER = '\x1b[?1049h\x1b[?25l';
const LEAVE = '\x1b[?25h\x1b[?1049l';
const HOME = '\x1b[H';
const REST_OF_LINE = '\x1b[K';
const REST_OF_SCREEN = '\x1b[J';

/** The terminal's alternate screen, for a command that redraws; `close` restores the previous content. */
export class Screen {
  readonly #io: Io;
  readonly #listeners: (() => void)[] = [];

  constructor(io: Io) {
    this.#io = io;
    const { stdin, stdout } = io;
    stdout.write(ENTER);
    stdin.setRawMode(true);
    stdin.resume();
    this.#listeners.push(() => {
      stdin.setRawMode(false);
      stdin.pause();
      stdout.write(LEAVE);
    });
  }

  /** Calls `listener` with the raw input of each key. */
  onKey(listener: (key: string) => void): void {
    const { stdin } = this.#io;
    const heard = (data: Buffer): void => listener(data.toString());
    stdin.on('data', heard);
    this.#listeners.push(() => stdin.off('data', heard));
  }

  onResize(listener: () => void): void {
    const { stdout } = this.#io;
    stdout.on('resize', listener);
    this.#listeners.push(() => stdout.off('resize', listener));
  }

  /** Wraps long lines, and replaces lines that don't fit with their number. */
  draw(lines: readonly string[]): void {
    const { columns, rows } = sizeOf(this.#io.stdout);
    const wrapped = lines.flatMap((line) => wrap(line, columns));
    const shown =
      wrapped.length <= rows
        ? wrapped
        : [...wrapped.slice(0, rows - 1), this.#io.texts.moreLines(wrapped.length - rows + 1)];
    const text = shown.map((line) => line + REST_OF_LINE).join('\r\n');
    this.#io.stdout.write(HOME + text + REST_OF_SCREEN);
  }

  close(): void {
    for (const end of this.#listeners.toReversed()) end();
  }
}

/** A terminal of unknown size reports 0. */
function sizeOf({ columns, rows }: NodeJS.WriteStream): { readonly columns: number; readonly rows: number } {
  return { columns: columns || 80, rows: rows || 24 };
}

export function wrap(line: string, columns: number): string[] {
  return wrapLine(line, columns, stringWidth);
}
