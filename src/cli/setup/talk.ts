import type { Said } from '../../core/domain/setupWords.ts';
import { printable } from '../printable.ts';
import { wrapLine } from '../wrap.ts';
import type { Io } from '../io.ts';
import type { Given } from './given.ts';
import type { Found } from './plan.ts';
import type { Prompts } from './prompts.ts';

/** What every step of set-up knows. */
export interface Talk {
  readonly io: Io;
  readonly given: Given;
  readonly found: Found;
  /** Null: nobody is asked. */
  readonly ask: Prompts | null;
  /** A sentence for the person who is asked; nothing where nobody is. */
  readonly say: (said: Said) => void;
}

const WIDEST = 100;

/** Lines no longer than the terminal is wide, broken between words. */
export function sayOn(io: Io): (said: Said) => void {
  return ({ text }) => {
    const width = Math.min(io.stderr.columns || 80, WIDEST);
    for (const line of text.split('\n').map(printable))
      io.stderr.write(`${wrapLine(line, width).join('\n')}\n`);
  };
}
