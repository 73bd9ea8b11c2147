import type { Operations, Response } from '../../control/protocol/protocol.ts';
import { ReceiptdError } from '../../core/domain/errors.ts';
import { plain, says, type Said } from '../../core/domain/setupWords.ts';
import { SetupEnded, WentBack, type Prompts } from './prompts.ts';

type SetupState = Response<'setup'>;
type SetupQuestion = NonNullable<SetupState['question']>;
type SetupAnswer = string | number | boolean;

interface PendingQuestion {
  readonly question: SetupQuestion;
  /** Why an answer of the right kind is wrong; null if it is accepted. */
  readonly take: (answer: SetupAnswer) => Promise<Said | null>;
  readonly fail: (error: Error) => void;
}

/** The person wants to start over. */
export class Restarted extends Error {
  override name = 'Restarted';
}

const LOOK_AGAIN_MS = 20_000;
const SOMETHING = says('answer.needed');

/**
 * Asks the questions of setup on a page instead of a terminal:
 *
 *   busy ◀──a right answer── asking ◀──the next question── busy ──▶ over (done, or failed) ──restart──▶ busy
 *
 * The page long-polls for the state. Answers are checked by the step that asks.
 */
export class BrowserTalk {
  readonly #stop: AbortSignal;
  readonly #waiting = new Set<() => void>();
  #revision = 1;
  #lines: SetupState['lines'] = [];
  #pending: PendingQuestion | null = null;
  #end: SetupState['end'] = null;
  #questions = 0;
  #restarted: (() => void) | null = null;
  #seenEnd: (() => void) | null = null;

  /** `stop` aborts when the page is gone or the process has to end. */
  constructor(stop: AbortSignal) {
    this.#stop = stop;
    stop.addEventListener('abort', () => {
      this.#pending?.fail(new SetupEnded('ended by a signal'));
      this.#restarted?.();
      this.#seenEnd?.();
      this.#changed();
    });
  }

  readonly say = (said: Said): void => {
    this.#lines = [...this.#lines, { said, answer: null }];
    this.#changed();
  };

  readonly prompts: Prompts = {
    text: (said, { otherwise, wrong, isFolder = false } = {}) =>
      this.#ask({ kind: isFolder ? 'folder' : 'text', said, otherwise: otherwise ?? null }, async (given) => {
        const typed = typeof given === 'string' ? given.trim() : '';
        const answer = typed === '' ? (otherwise ?? '') : typed;
        const why = answer === '' ? SOMETHING : ((await wrong?.(answer)) ?? null);
        return why === null ? { answer, shown: plain(answer) } : { why };
      }),
    secret: (said) =>
      this.#ask({ kind: 'secret', said }, async (given) => {
        const answer = typeof given === 'string' ? given.trim() : '';
        return answer === '' ? { why: SOMETHING } : { answer, shown: says('answer.hidden') };
      }),
    choose: (said, choices, meant) => {
      const shown = choices.map(({ label, about = null }) => ({ label, about }));
      const index = choices.findIndex(({ value }) => value === meant);
      const otherwise = meant === undefined || index < 0 ? null : index;
      return this.#ask({ kind: 'choice', said, choices: shown, otherwise }, async (given) => {
        const chosen = typeof given === 'number' ? choices[given] : undefined;
        return chosen === undefined
          ? { why: says('answer.choose') }
          : { answer: chosen.value, shown: chosen.label };
      });
    },
    confirm: (said, otherwise) =>
      this.#ask({ kind: 'yesNo', said, otherwise }, async (given) =>
        typeof given === 'boolean'
          ? { answer: given, shown: says(given ? 'answer.yes' : 'answer.no') }
          : { why: says('answer.yesOrNo') },
      ),
  };

  readonly operations: Pick<Operations, 'setup' | 'answerSetup' | 'backInSetup' | 'restartSetup'> = {
    setup: ({ seen }) => this.#state(seen),
    answerSetup: async ({ question, answer }) => {
      const pending = this.#pending;
      if (pending?.question.id !== question) throw new ReceiptdError('USAGE.alreadyAnswered');
      return { wrong: await pending.take(answer) };
    },
    backInSetup: async ({ question }) => {
      const pending = this.#pending;
      if (pending?.question.id !== question) throw new ReceiptdError('USAGE.alreadyAnswered');
      pending.fail(new WentBack('asked for'));
      return {};
    },
    restartSetup: async () => {
      if (this.#end?.isDone === true) throw new ReceiptdError('USAGE.setupDone');
      if (this.#pending === null && this.#restarted === null) throw new ReceiptdError('USAGE.setupBusy');
      this.#pending?.fail(new Restarted('asked for'));
      this.#restarted?.();
      return {};
    },
  };

  /** Whether the current question asks for a folder. */
  get asksForFolder(): boolean {
    return this.#pending?.question.kind === 'folder';
  }

  begin(): void {
    this.#lines = [];
    this.#end = null;
    this.#changed();
  }

  /** Resolves when the person wants to try again. @throws Ended */
  async failed(message: Said): Promise<void> {
    this.#end = { isDone: false, message, console: null };
    this.#changed();
    await this.#until((resolve) => (this.#restarted = resolve));
    this.#restarted = null;
    if (this.#stop.aborted) throw new SetupEnded('ended by a signal');
  }

  /** Resolves when the page has received the result, or is gone. */
  async done(message: Said, console: string | null): Promise<void> {
    this.#end = { isDone: true, message, console };
    const seen = this.#until((resolve) => (this.#seenEnd = resolve));
    this.#changed();
    await seen;
  }

  async #until(listen: (resolve: () => void) => void): Promise<void> {
    if (this.#stop.aborted) return;
    await new Promise<void>((resolve) => listen(resolve));
  }

  #ask<T>(
    asked: Pick<SetupQuestion, 'kind' | 'said'> & Partial<SetupQuestion>,
    look: (given: SetupAnswer) => Promise<{ answer: T; shown: Said } | { why: Said }>,
  ): Promise<T> {
    if (this.#stop.aborted) return Promise.reject(new SetupEnded('ended by a signal'));
    return new Promise<T>((resolve, reject) => {
      this.#questions += 1;
      const question = { otherwise: null, choices: [], ...asked, id: this.#questions };
      const leave = () => {
        if (this.#pending?.question.id === question.id) this.#pending = null;
        this.#changed();
      };
      const take = async (given: SetupAnswer): Promise<Said | null> => {
        const found = await look(given);
        if ('why' in found) return found.why;
        // If two windows answer at once, the first one counts.
        if (this.#pending?.question.id !== question.id) return null;
        this.#lines = [...this.#lines, { said: question.said, answer: found.shown }];
        leave();
        resolve(found.answer);
        return null;
      };
      const fail = (error: Error) => {
        leave();
        reject(error);
      };
      this.#pending = { question, take, fail };
      this.#changed();
    });
  }

  async #state(seen: number | undefined): Promise<SetupState> {
    const isSeen = seen === this.#revision;
    // Another request means that the page has received the previous state.
    if (isSeen && this.#end?.isDone === true) this.#seenEnd?.();
    else if (isSeen && !this.#stop.aborted) await this.#change();
    return {
      revision: this.#revision,
      lines: this.#lines,
      question: this.#pending?.question ?? null,
      end: this.#end,
    };
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        this.#waiting.delete(end);
        resolve();
      };
      const timer = setTimeout(end, LOOK_AGAIN_MS);
      this.#waiting.add(end);
    });
  }

  #changed(): void {
    this.#revision += 1;
    for (const end of this.#waiting) end();
  }
}
