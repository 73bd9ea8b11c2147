import { colorsFor, type Io } from '../io.ts';

export interface Choice<T> {
  readonly label: string;
  readonly value: T;
  /** A line about it, shown while it is the marked one. */
  readonly about?: string;
}

/** What set-up asks a person. Every question rejects with `Ended` on Ctrl-C, Ctrl-D, or a signal. */
export interface Prompts {
  /** `wrong` tells what is wrong with an answer, or null. */
  text(question: string, options?: TextOptions): Promise<string>;
  /** Nothing of the answer is shown. */
  secret(question: string): Promise<string>;
  choose<T>(question: string, choices: readonly Choice<T>[], first?: T): Promise<T>;
  confirm(question: string, otherwise: boolean): Promise<boolean>;
}

export interface TextOptions {
  /** The answer to Enter alone. */
  readonly otherwise?: string | undefined;
  readonly wrong?: (answer: string) => string | null | Promise<string | null>;
  /** It is the path of a folder, which a page can have picked. */
  readonly isFolder?: boolean;
}

/** The person ended set-up. */
export class Ended extends Error {
  override name = 'Ended';
}

/** On standard error, so that standard output carries results only. Loads the library, which nothing else needs. */
export async function createPrompts(io: Io): Promise<Prompts> {
  const [{ default: input }, { default: password }, { default: select }, { default: confirm }] =
    await Promise.all([
      import('@inquirer/input'),
      import('@inquirer/password'),
      import('@inquirer/select'),
      import('@inquirer/confirm'),
    ]);
  const theme = themeOf(io);
  const ask = async <T>(prompt: (context: Context) => Promise<T>): Promise<T> => {
    const ended = new AbortController();
    const end = () => ended.abort();
    // At the end of its input the library would wait forever.
    const onKey = (_: unknown, key: { ctrl?: boolean; name?: string } | undefined) => {
      if (key?.ctrl === true && key.name === 'd') end();
    };
    io.stdin.on('keypress', onKey);
    io.stdin.once('end', end);
    io.stdin.once('close', end);
    try {
      const signal = AbortSignal.any([ended.signal, io.stop]);
      return await prompt({ input: io.stdin, output: io.stderr, signal });
    } catch (error) {
      if (isEnd(error)) throw new Ended('ended by the person', { cause: error });
      throw error;
    } finally {
      io.stdin.off('keypress', onKey);
      io.stdin.off('end', end);
      io.stdin.off('close', end);
    }
  };
  return {
    text: async (message, { otherwise, wrong } = {}) => {
      const validate = async (answer: string) => (await wrong?.(answer.trim())) ?? true;
      const shown = otherwise === undefined ? {} : { default: otherwise };
      const config = { message, ...shown, validate, required: otherwise === undefined, theme };
      return (await ask((context) => input(config, context))).trim();
    },
    secret: async (message) => {
      const validate = (answer: string) => answer.trim() !== '' || 'Please type something.';
      // Anyone who looks over a shoulder could press the key that shows it.
      const config = { message, validate, toggleMask: false, theme };
      return (await ask((context) => password(config, context))).trim();
    },
    choose: (message, choices, first) => {
      const shown = choices.map(({ label, value, about }) => ({
        name: label,
        value,
        ...(about !== undefined && { description: about }),
      }));
      const marked = first === undefined ? {} : { default: first };
      return ask((context) => select({ message, choices: shown, ...marked, loop: false, theme }, context));
    },
    confirm: (message, otherwise) =>
      ask((context) => confirm({ message, default: otherwise, theme }, context)),
  };
}

type Context = { input: NodeJS.ReadStream; output: NodeJS.WriteStream; signal: AbortSignal };

function isEnd(error: unknown): boolean {
  return error instanceof Error && ['ExitPromptError', 'AbortPromptError'].includes(error.name);
}

/** Plain characters alone: what a terminal makes of others depends on too much. Colours as everywhere in this program. */
function themeOf(io: Io) {
  const colors = colorsFor(io, io.stderr);
  const keys = (all: [string, string][]) =>
    colors.dim(all.map(([key, does]) => `${KEYS.get(key) ?? key}: ${does}`).join(', '));
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
      maskedText: '(it is not shown)',
      keysHelpTip: keys,
    },
  };
}

const KEYS: ReadonlyMap<string, string> = new Map([
  ['↑↓', 'up and down'],
  ['⏎', 'Enter'],
]);
