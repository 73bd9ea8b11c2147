import type { Said } from '../../core/domain/setupWords.ts';
import type { Done } from './apply.ts';
import type { Prompts } from './prompts.ts';
import type { Answers } from './steps.ts';
import type { Talk } from './talk.ts';

/** Who is asked, and where. */
export interface Conversation {
  /** Null: nobody is asked. */
  readonly ask: Prompts | null;
  readonly say: (said: Said) => void;
  /** How a person ends it before its end. */
  readonly wayOut: Said;
  /** What is said when set-up was ended before its end. */
  readonly tellEnd: (said: Said) => void;
  /** What comes after; in a terminal, the commands for it. What was opened for the answers is open until it resolves. */
  readonly goOn: (talk: Talk, answers: Answers, done: Done) => Promise<void>;
}
