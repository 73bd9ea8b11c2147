import type { Said } from '../../core/domain/setupWords.ts';
import { counted } from './format.ts';
import { language, type Language } from './language.ts';
import { explanationOf } from './explanations.ts';

export type { Said } from '../../core/domain/setupWords.ts';

type Words = Readonly<Partial<Record<string, string>>>;

/** Setup texts by key, loaded only for setup; English comes from the agent. */
const SETUP_LANGUAGES: Readonly<Record<Language, () => Promise<Words | null>>> = {
  en: async () => null,
  de: async () => (await import('./languages/setup/de.ts')).default,
};
const words = await SETUP_LANGUAGES[language]();

/** The text in the reader's language; in English if any part is not translated. */
export function textOf({ text, parts }: Said): string {
  if (words === null) return text;
  const said = parts.map(({ key, values }) => partText(words, key, values));
  return said.every((each) => each !== null) ? said.join('') : text;
}

/** Whether the agent's own sentence says more: for an error, or a quoted message. */
export function hidesDetails({ parts }: Said): boolean {
  if (words === null) return false;
  return parts.some(({ key, values }) => /^[A-Z_]+$/.test(key) || Object.hasOwn(values, 'why'));
}

const MARK = /\{(\w+)(?::([^|}]*)\|([^}]*))?\}/g;

function partText(
  from: Words,
  key: string,
  values: Readonly<Record<string, string | number>>,
): string | null {
  const template = Object.hasOwn(from, key) ? from[key] : undefined;
  if (template === undefined) {
    const error = explanationOf(key);
    return error === null ? null : `${error.what}.`;
  }
  return template.replace(MARK, (_, name: string, one?: string, many = '') => {
    const value = values[name] ?? '';
    return one === undefined || typeof value === 'string' ? String(value) : counted(value, one, many);
  });
}
