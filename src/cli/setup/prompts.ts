import { says, type Said } from '../../core/domain/setupWords.ts';
import { colorsFor, type Io } from '../io.ts';

export interface PromptChoice<T> {
  readonly label: Said;
  readonly value: T;
  /** Explanation, shown while this choice is selected. */
  readonly about?: Said;
}

/** Asks a person. Every question rejects with `SetupEnded` on Ctrl-C, Ctrl-D, or a signal, and with `WentBack` on Esc. */
export interface Prompts {
  /** `options.wrong` returns what is wrong with an answer, or null. */
  text(question: Said, options?: TextOptions): Promise<string>;
  /** Does not echo the answer. */
  secret(question: Said): Promise<string>;
  /** `otherwise`: chosen beforehand. */
  choose<T>(question: Said, choices: readonly PromptChoice<T>[], otherwise?: T): Promise<T>;
  confirm(question: Said, otherwise: boolean): Promise<boolean>;
}

export interface TextOptions {
  /** Default answer on Enter. */
  readonly otherwise?: string | undefined;
  readonly wrong?: (answer: string) => Said | null | Promise<Said | null>;
  /** The answer is a folder path, so a page can offer to pick one. */
  readonly isFolder?: boolean;
}

/** The person cancelled setup. */
export class SetupEnded extends Error {
  override name = 'Ended';
}

/** The person wants to answer the question before again. */
export class WentBack extends Error {
  override name = 'WentBack';
}

/** Prompts on stderr, so that stdout carries results only. Loads the prompt library on demand. */
export async function createPrompts(io: Io, speak: (said: Said) => string): Promise<Prompts> {
  const [{ default: input }, { default: password }, { default: select }, { default: confirm }] =
    await Promise.all([
      import('@inquirer/input'),
      import('@inquirer/password'),
      import('@inquirer/select'),
      import('@inquirer/confirm'),
    ]);
  const theme = themeOf(io, speak);
  const ask = async <T>(prompt: (context: Context) => Promise<T>): Promise<T> => {
    const ended = new AbortController();
    const end = () => ended.abort();
    let isBack = false;
    // At the end of input, the library would wait forever.
    const onKey = (_: unknown, key: { ctrl?: boolean; name?: string } | undefined) => {
      isBack = key?.name === 'escape';
      if (isBack || (key?.ctrl === true && key.name === 'd')) end();
    };
    io.stdin.on('keypress', onKey);
    io.stdin.once('end', end);
    io.stdin.once('close', end);
    try {
      const signal = AbortSignal.any([ended.signal, io.stop]);
      return await prompt({ input: io.stdin, output: io.stderr, signal });
    } catch (error) {
      if (isEnd(error) && isBack && !io.stop.aborted) throw new WentBack('Esc', { cause: error });
      if (isEnd(error)) throw new SetupEnded('ended by the person', { cause: error });
      throw error;
    } finally {
      io.stdin.off('keypress', onKey);
      io.stdin.off('end', end);
      io.stdin.off('close', end);
    }
  };
  return {
    text: async (question, { otherwise, wrong } = {}) => {
      const validate = async (answer: string) => {
        if (answer.trim() === '' && otherwise === undefined) return speak(says('answer.needed'));
        const flaw = (await wrong?.(answer.trim())) ?? null;
        return flaw === null || speak(flaw);
      };
      const shown = otherwise === undefined ? {} : { default: otherwise };
      const config = { message: speak(question), ...shown, validate, theme };
      return (await ask((context) => input(config, context))).trim();
    },
    secret: async (question) => {
      const validate = (answer: string) => answer.trim() !== '' || speak(says('answer.needed'));
      // No key to reveal the secret, in case somebody else is at the keyboard.
      const config = { message: speak(question), validate, toggleMask: false, theme };
      return (await ask((context) => password(config, context))).trim();
    },
    choose: (question, choices, otherwise) => {
      const shown = choices.map(({ label, value, about }) => ({
        name: speak(label),
        value,
        ...(about !== undefined && { description: speak(about) }),
      }));
      const first = otherwise === undefined ? {} : { default: otherwise };
      return ask((context) =>
        select({ message: speak(question), choices: shown, ...first, loop: false, theme }, context),
      );
    },
    confirm: (question, otherwise) => {
      const keywords = {
        yes: speak(says('answer.yes')),
        no: speak(says('answer.no')),
        error: () => speak(says('answer.yesOrNo')),
      };
      const config = { message: speak(question), default: otherwise, theme: { ...theme, keywords } };
      return ask((context) => confirm(config, context));
    },
  };
}

type Context = { input: NodeJS.ReadStream; output: NodeJS.WriteStream; signal: AbortSignal };

function isEnd(error: unknown): boolean {
  return error instanceof Error && ['ExitPromptError', 'AbortPromptError'].includes(error.name);
}

/** ASCII only, because terminals render other symbols unreliably. Uses the program's colours. */
function themeOf(io: Io, speak: (said: Said) => string) {
  const colors = colorsFor(io, io.stderr);
  const named = (its: string) => {
    const key = KEYS.get(its);
    return key === undefined ? its : speak(says(key));
  };
  const keys = (all: [string, string][]) =>
    colors.dim(all.map(([key, does]) => `${named(key)}: ${named(does)}`).join(', '));
  return {
    prefix: { idle: colors.blue('?'), done: colors.green('*') },
    spinner: { interval: 120, frames: ['-', '\\', '|', '/'] },
    icon: { cursor: '>' },
    style: {
      answer: colors.cyan,
      message: colors.bold,
      error: (text: string) => colors.red(`! ${text}`),
      defaultAnswer: (text: string) => colors.dim(`(${text})`),
      help: colors.dim,
      highlight: colors.cyan,
      description: colors.dim,
      disabled: colors.dim,
      key: colors.cyan,
      maskedText: speak(says('answer.hidden')),
      keysHelpTip: keys,
    },
  };
}

/** Keys and what they do, as the library names them. */
const KEYS = new Map<string, 'keys.upDown' | 'keys.enter' | 'keys.navigate' | 'keys.select'>([
  ['↑↓', 'keys.upDown'],
  ['⏎', 'keys.enter'],
  ['navigate', 'keys.navigate'],
  ['select', 'keys.select'],
]);
