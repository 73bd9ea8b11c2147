import { isErrorKey } from '../../texts/errors.ts';
import { setupSpeaker, type Said } from '../../texts/setup.ts';
import { language } from './language.ts';
import { t } from './texts.ts';

export type { Said } from '../../texts/setup.ts';

/** The text in the reader's language; in English if any part is not translated. */
export const textOf = await setupSpeaker(language, t);

/** Whether the agent's own sentence says more: for a quoted message, or an error in other words. */
export function hidesDetails(said: Said): boolean {
  if (textOf(said) === said.text) return false;
  return said.parts.some(({ key, values }) => !isErrorKey(t.errors, key) && Object.hasOwn(values, 'why'));
}
