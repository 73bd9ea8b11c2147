import { keep, readKept } from './kept.ts';
import type { Texts } from './languages/en.ts';
import type { Format } from './textFormat.ts';

type Catalogue = (format: Format) => Texts;

/** The file of each language, loaded where somebody reads it. */
export const LANGUAGES = {
  en: async () => (await import('./languages/en.ts')).default,
  de: async () => (await import('./languages/de.ts')).default,
} as const satisfies Readonly<Record<string, () => Promise<Catalogue>>>;

export type Language = keyof typeof LANGUAGES;
export const LANGUAGE_NAMES = Object.keys(LANGUAGES) as readonly Language[];

const KEY = 'language';

/** What the browser asks for, most wanted first. */
const WANTED: readonly string[] = typeof navigator === 'undefined' ? [] : navigator.languages;

const ofTag = (tag: string): string => tag.split('-', 1)[0]?.toLowerCase() ?? '';
const known = (tag: string | null): Language | undefined =>
  LANGUAGE_NAMES.find((each) => tag !== null && each === ofTag(tag));

/** What the person chose here, or else the first that the browser asks for and the console has. */
export const language: Language =
  known(readKept(KEY)) ?? WANTED.map(known).find((each) => each !== undefined) ?? 'en';

/** With the region that the browser names, which decides on dates and numbers. */
export const locale: string = WANTED.find((tag) => ofTag(tag) === language) ?? language;

/** Pages take their texts as they load: a language changes with all of them. */
export function chooseLanguage(next: Language): void {
  keep(KEY, next);
  location.reload();
}

/** Its name in itself. */
export const nameOf = (tag: Language): string =>
  new Intl.DisplayNames([tag], { type: 'language' }).of(tag) ?? tag;
