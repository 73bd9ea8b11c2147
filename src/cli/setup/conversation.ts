import type { Said } from '../../core/domain/setupWords.ts';
import type { AppliedSetup } from './apply.ts';
import type { Prompts } from './prompts.ts';
import type { Answers } from './steps.ts';
import type { Talk } from './talk.ts';

/** How setup talks to the person: in a terminal, in a browser, or not at all. */
export interface Conversation {
  /** Null if nobody can be asked. */
  readonly ask: Prompts | null;
  readonly say: (said: Said) => void;
  /** How to cancel setup. */
  readonly wayOut: Said;
  /** Reports that setup was cancelled. */
  readonly tellEnd: (said: Said) => void;
  /** Next steps; in a terminal, the commands for them. Services opened for the answers stay open until it resolves. */
  readonly goOn: (talk: Talk, answers: Answers, done: AppliedSetup) => Promise<void>;
}
