import type { Said } from '../../core/domain/setupWords.ts';
import { escapeUnsafe } from '../../core/domain/escape.ts';
import { wrapLine } from '../wrap.ts';
import type { Io } from '../io.ts';
import type { Given } from './given.ts';
import type { Interview } from './interview.ts';
import type { ExistingConfig } from './wanted.ts';
import type { Prompts } from './prompts.ts';

/** Context of every step of setup. */
export interface Talk {
  readonly io: Io;
  readonly given: Given;
  readonly found: ExistingConfig;
  /** Null if nobody can be asked. */
  readonly ask: Prompts | null;
  /** Shows a sentence to the person; does nothing if nobody is asked. */
  readonly say: (said: Said) => void;
  /** For what must not happen again when the person goes back. */
  readonly once: Interview['once'];
}

const WIDEST = 100;

/** Prints to stderr, wrapped between words to the terminal's width. */
export function sayOn(io: Io, speak: (said: Said) => string): (said: Said) => void {
  return (said) => {
    const width = Math.min(io.stderr.columns || 80, WIDEST);
    for (const line of speak(said).split('\n').map(escapeUnsafe))
      io.stderr.write(`${wrapLine(line, width).join('\n')}\n`);
  };
}
