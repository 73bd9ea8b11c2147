import { languageOfTerminal } from '../texts/language.ts';
import type { ReceiptdError } from '../core/domain/errors.ts';
import { local } from '../core/domain/words.ts';
import type { Shown } from '../core/domain/why.ts';
import { errorWords, whyWords } from '../texts/explain.ts';
import { cliTextsIn } from '../texts/cli.ts';
import { setupSpeaker, type Said } from '../texts/setup.ts';
import { textsIn, type AllTexts, type Texts } from '../texts/texts.ts';
import type { Io, ProcessParts } from './io.ts';
import type { JsonOption } from './session.ts';

/** `process` with what commands print, in the language of the terminal. */
export async function ioOf(process: ProcessParts): Promise<Io> {
  const { stdin, stdout, stderr, env, stop, onReload } = process;
  return {
    stdin,
    stdout,
    stderr,
    env,
    get cwd() {
      return process.cwd;
    },
    stop,
    onReload,
    texts: await cliTextsIn(languageOfTerminal(env), local),
  };
}

/** For an answer as JSON, which is the same in every language: its sentences are English, and the facts stand beside them. */
export async function inEnglish(io: Io, { json }: JsonOption): Promise<Io> {
  return json === true
    ? { ...io, env: { ...io.env, LC_ALL: 'C' }, texts: await cliTextsIn('en', local) }
    : io;
}

/** In the language of the terminal. */
export function textsOf({ env }: Pick<Io, 'env'>): Promise<AllTexts> {
  return textsIn(languageOfTerminal(env), local);
}

/**
 * What, where, what to do, and the code, in the language of the terminal; `word`: that for "error". Every error has its English words:
 * one about missing descriptors, or after an upgrade that replaced the program's files, is told even if no file can be loaded.
 */
export async function told(
  { env }: Pick<Io, 'env'>,
  error: ReceiptdError,
): Promise<{ readonly word: string; readonly sentence: string }> {
  const language = languageOfTerminal(env);
  const texts = language === 'en' ? null : await textsIn(language, local).catch(() => null);
  if (texts === null) return { word: 'error', sentence: error.sentence() };
  return { word: texts.problems.error, sentence: `${errorWords(texts, error)} [${error.code}]` };
}

/** What setup says, in the language of the terminal. */
export async function speakerOf(io: Pick<Io, 'env'>): Promise<(said: Said) => string> {
  return setupSpeaker(languageOfTerminal(io.env), await textsOf(io));
}

/** Why something is as it is, in the language of the texts. */
export function messageOf<M extends string | null>(
  texts: Texts,
  { message, fact = null }: { readonly message: M; readonly fact?: Shown<M>['fact'] },
): string | Extract<M, null> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- null is what it can be
  return message === null ? (message as Extract<M, null>) : whyWords(texts, { message, fact });
}
