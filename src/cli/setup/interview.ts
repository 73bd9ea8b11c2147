import { joined, plain, says, type Said } from '../../core/domain/setupWords.ts';
import { WentBack, type PromptChoice, type Prompts } from './prompts.ts';

/** An answer, or what came of an action. Either is found again by its key. */
interface Entry {
  readonly key: string;
  /** Null for an action. */
  readonly asked: { readonly question: Said; readonly answer: Said } | null;
  readonly value: unknown;
  readonly undo: () => Promise<void>;
}

/** How one question is asked, and asked again. */
interface Question<T> {
  readonly said: Said;
  readonly ask: (former: T | undefined) => Promise<T>;
  /** Whether a former answer is still right. */
  readonly takes: (former: T) => boolean | Promise<boolean>;
  readonly shown: (answer: T) => Said;
}

/** A question and its answer. */
const BETWEEN = ' ';

const NOTHING = async (): Promise<void> => {};

/**
 * The questions of setup, with a way back. Its steps change nothing until all is agreed to, so going back runs them again: they get the
 * answers and results that they got before, as long as they ask for the same, and only what the person went back to is asked anew.
 *
 *   running ──agreed to──▶ done
 *    ▲   └──back, or an answer is to change──┐
 *    └────the same steps, with what is known─┘
 */
export class Interview {
  /** Null if nobody can be asked. */
  readonly ask: Prompts | null;
  readonly #prompts: Prompts | null;
  readonly #say: (said: Said) => void;
  #known: Entry[] = [];
  /** How many of them this run has used. */
  #used = 0;
  /** To be asked again. */
  readonly #again = new Set<Entry>();
  /** What was said about known answers is not repeated. */
  #isMuted = false;
  /** Since the last question: the same question about something else is another one. */
  #said: string[] = [];

  constructor(prompts: Prompts | null, say: (said: Said) => void) {
    this.#prompts = prompts;
    this.#say = say;
    this.ask = prompts && this.#recorded(prompts);
  }

  readonly say = (said: Said): void => {
    this.#said.push(said.text);
    if (!this.#isMuted) this.#say(said);
  };

  /** Runs the steps until they get to their end. */
  async run<T>(steps: () => Promise<T>): Promise<T> {
    for (;;) {
      this.#used = 0;
      this.#said = [];
      try {
        return await steps();
      } catch (error) {
        if (!(error instanceof WentBack)) throw error;
      }
    }
  }

  /** Does something once for the same `key`, however often the steps run. `undo`: when it is no longer wanted, and in the end. */
  readonly once = async <T>(
    key: string,
    act: () => Promise<T>,
    undo?: (result: T) => Promise<void>,
  ): Promise<T> => {
    const known = await this.#find(key);
    // The key stands for this action alone.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    const value = known === null ? await act() : (known.value as T);
    this.#keep(known ?? { key, asked: null, value, undo: undo ? () => undo(value) : NOTHING });
    return value;
  };

  /** A question about all answers, which is none of them. @throws WentBack */
  async decide<T>(said: Said, choices: readonly PromptChoice<T>[]): Promise<T> {
    if (this.#prompts === null) throw new Error('nobody can be asked');
    try {
      return await this.#prompts.choose(said, choices);
    } catch (error) {
      if (error instanceof WentBack) await this.#goBack();
      throw error;
    }
  }

  /** Lets the person choose an answer to give again. @throws WentBack */
  async change(): Promise<never> {
    const answers = this.#known
      .slice(0, this.#used)
      .flatMap((entry) =>
        entry.asked === null
          ? []
          : [{ label: joined(entry.asked.question, plain(BETWEEN), entry.asked.answer), value: entry }],
      );
    const chosen = await this.#prompts?.choose(says('plan.whichAnswer'), answers);
    if (chosen !== undefined) this.#again.add(chosen);
    throw new WentBack();
  }

  /** Undoes what is not kept. */
  close(): Promise<void> {
    return this.#drop(0, this.#known.length);
  }

  #recorded(prompts: Prompts): Prompts {
    return {
      text: (said, options = {}) =>
        this.#answer<string>({
          said,
          ask: (former) => prompts.text(said, { ...options, otherwise: former ?? options.otherwise }),
          takes: async (former) => ((await options.wrong?.(former)) ?? null) === null,
          shown: (answer) => plain(answer),
        }),
      secret: (said) =>
        this.#answer<string>({
          said,
          ask: () => prompts.secret(said),
          takes: () => true,
          shown: () => says('answer.hidden'),
        }),
      confirm: (said, otherwise) =>
        this.#answer<boolean>({
          said,
          ask: (former) => prompts.confirm(said, former ?? otherwise),
          takes: () => true,
          shown: (answer) => says(answer ? 'answer.yes' : 'answer.no'),
        }),
      choose: async (said, choices, otherwise) => {
        // By its words: a choice that is offered again may mean something new.
        const choiceOf = (words: string | undefined) => choices.find(({ label }) => label.text === words);
        const wordsOf = (value: unknown) => choices.find((each) => each.value === value)?.label.text ?? '';
        const words = await this.#answer<string>({
          said,
          ask: async (former) =>
            wordsOf(await prompts.choose(said, choices, choiceOf(former)?.value ?? otherwise)),
          takes: (former) => choiceOf(former) !== undefined,
          shown: (answer) => choiceOf(answer)?.label ?? plain(answer),
        });
        const chosen = choiceOf(words);
        if (chosen === undefined) throw new Error('what was chosen was offered');
        return chosen.value;
      },
    };
  }

  async #answer<T>({ said, ask, takes, shown }: Question<T>): Promise<T> {
    const key = JSON.stringify([this.#said, said.parts]);
    this.#said = [];
    const known = await this.#find(key);
    // The same question has the same kind of answer.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    const former = known?.value as T | undefined;
    if (known !== null && !this.#again.has(known) && former !== undefined && (await takes(former))) {
      this.#isMuted = true;
      this.#keep(known);
      return former;
    }
    this.#isMuted = false;
    for (;;) {
      try {
        const value = await ask(former);
        if (known !== null) await this.#drop(this.#used, this.#used + 1);
        this.#keep({ key, asked: { question: said, answer: shown(value) }, value, undo: NOTHING });
        return value;
      } catch (error) {
        if (!(error instanceof WentBack) || (await this.#goBack())) throw error;
        // There is none before the first question, so it is asked again.
      }
    }
  }

  /** The next answer or result with this key; those before it are no longer asked for. */
  async #find(key: string): Promise<Entry | null> {
    const at = this.#known.findIndex((entry, index) => index >= this.#used && entry.key === key);
    if (at < 0) return null;
    await this.#drop(this.#used, at);
    return this.#known[this.#used] ?? null;
  }

  #keep(entry: Entry): void {
    if (this.#known[this.#used] !== entry) this.#known.splice(this.#used, 0, entry);
    this.#used += 1;
  }

  /** To the last question, and before what was done since. False if there is none. */
  async #goBack(): Promise<boolean> {
    const last = this.#known.findLastIndex(({ asked }, index) => index < this.#used && asked !== null);
    if (last < 0) return false;
    for (const entry of this.#known.slice(last)) this.#again.add(entry);
    await this.#drop(last + 1, this.#used);
    return true;
  }

  async #drop(from: number, to: number): Promise<void> {
    for (const { undo } of this.#known.splice(from, to - from)) await undo();
  }
}
