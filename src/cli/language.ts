import { languageOfTerminal } from '../texts/language.ts';
import type { ReceiptdError } from '../core/domain/errors.ts';
import { local } from '../core/domain/words.ts';
import { errorWords } from '../texts/explain.ts';
import { setupSpeaker, type Said } from '../texts/setup.ts';
import { textsIn, type Texts } from '../texts/texts.ts';
import type { Io } from './io.ts';

/** In the language of the terminal. */
export function textsOf({ env }: Pick<Io, 'env'>): Promise<Texts> {
  return textsIn(languageOfTerminal(env), local);
}

/** What, where, what to do, and the code, in the language of the terminal. */
export async function sentenceOf(io: Pick<Io, 'env'>, error: ReceiptdError): Promise<string> {
  return `${errorWords(await textsOf(io), error)} [${error.code}]`;
}

/** What setup says, in the language of the terminal. */
export async function speakerOf(io: Pick<Io, 'env'>): Promise<(said: Said) => string> {
  return setupSpeaker(languageOfTerminal(io.env), await textsOf(io));
}
