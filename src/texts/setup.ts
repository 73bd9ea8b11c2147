import { isErrorKey, wordsOf } from './errors.ts';
import { phrase, type Phrases } from './phrase.ts';
import type { Language } from './language.ts';
import type { Texts } from './en.ts';

/** Part of a text of setup: a key of it, or of an error, with its values. */
export interface SaidPart {
  readonly key: string;
  readonly values: Record<string, unknown>;
}

/** A text in English, and its parts for translation. */
export interface Said {
  readonly text: string;
  readonly parts: SaidPart[];
}

/** Texts of setup by key, loaded only for setup; a `Said` has the English ones. */
const SETUP: Readonly<Record<Language, () => Promise<SetupWords | null>>> = {
  en: async () => null,
  de: async () => (await import('./de/setup.ts')).setupTexts,
};
type SetupWords = Readonly<Partial<Record<string, string>>>;

const MARK = /\{(\w+)(?::([^|}]*)\|([^}]*))?\}/g;

/** Fills the values into a text. */
export function filled(
  template: string,
  values: Readonly<Record<string, unknown>>,
  counted: (value: number, one: string, other: string) => string,
  expected: Phrases,
): string {
  return template.replace(MARK, (_, name: string, one?: string, other = '') => {
    const value = values[name];
    if (typeof value === 'number') return one === undefined ? String(value) : counted(value, one, other);
    if (isFact(value)) return phrase(expected, value);
    return typeof value === 'string' ? value : '';
  });
}

const isFact = (value: unknown): value is { readonly is: string } =>
  typeof value === 'object' && value !== null && 'is' in value;

/** What setup says, in a language; in English if any part is not translated. */
export async function setupSpeaker(
  language: Language,
  {
    errors,
    expected,
    findings,
    format: { counted },
  }: Pick<Texts, 'errors' | 'expected' | 'findings' | 'format'>,
): Promise<(said: Said) => string> {
  const words = await SETUP[language]();
  if (words === null) return ({ text }) => text;
  const partText = ({ key, values }: SaidPart): string | null => {
    if (isErrorKey(errors, key))
      return `${wordsOf(errors, key, values).join(' ')} [${key.split('.', 1).join()}]`;
    if (Object.hasOwn(findings, key)) return phrase(findings, { is: key, ...values });
    const template = Object.hasOwn(words, key) ? words[key] : undefined;
    return template === undefined ? null : filled(template, values, counted, expected);
  };
  return ({ text, parts }) => {
    const said = parts.map(partText);
    return said.every((each) => each !== null) ? said.join('') : text;
  };
}
