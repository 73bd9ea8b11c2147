import { isErrorKey } from './errors.ts';
import { whyWords, wordsOf } from './explain.ts';
import { phrase } from './phrase.ts';
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
  worded: (fact: { readonly is: string }) => string,
): string {
  return template.replace(MARK, (_, name: string, one?: string, other = '') => {
    const value = values[name];
    if (typeof value === 'number') return one === undefined ? String(value) : counted(value, one, other);
    if (isFact(value)) return worded(value);
    return typeof value === 'string' ? value : '';
  });
}

const isFact = (value: unknown): value is { readonly is: string } =>
  typeof value === 'object' && value !== null && 'is' in value;

/** What a value of a text says: what is expected, or why something is so. */
export function valueWords(
  texts: Pick<Texts, 'errors' | 'expected' | 'problems' | 'why'>,
  fact: { readonly is: string },
): string {
  if (Object.hasOwn(texts.expected, fact.is)) return phrase(texts.expected, fact);
  return whyWords(texts, { message: fact.is, fact });
}

/** What setup says, in a language; in English if any part is not translated. */
export async function setupSpeaker(
  language: Language,
  texts: Pick<Texts, 'errors' | 'expected' | 'findings' | 'format' | 'problems' | 'why'>,
): Promise<(said: Said) => string> {
  const { errors, findings, format } = texts;
  const worded = (fact: { readonly is: string }): string => valueWords(texts, fact);
  const words = await SETUP[language]();
  if (words === null) return ({ text }) => text;
  const partText = ({ key, values }: SaidPart): string | null => {
    if (isErrorKey(errors, key))
      return `${wordsOf(texts, key, values).join(' ')} [${key.split('.', 1).join()}]`;
    if (Object.hasOwn(findings, key)) return phrase(findings, { is: key, ...values });
    const template = Object.hasOwn(words, key) ? words[key] : undefined;
    return template === undefined ? null : filled(template, values, format.counted, worded);
  };
  return ({ text, parts }) => {
    const said = parts.map(partText);
    return said.every((each) => each !== null) ? said.join('') : text;
  };
}
