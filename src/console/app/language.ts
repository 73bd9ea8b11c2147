import { keep, readKept } from './kept.ts';
import type { LogTexts } from '../../texts/en/log.ts';
import type { SettingText } from '../../texts/en/settings.ts';
import type { ConsoleTexts } from './languages/en.ts';
import type { Format } from './textFormat.ts';

export type { ConsoleTexts } from './languages/en.ts';

type Catalogue = (format: Format) => ConsoleTexts;

/** Texts of each language, loaded on demand. */
export const LANGUAGES = {
  en: async () => (await import('./languages/en.ts')).default,
  de: async () => (await import('./languages/de.ts')).default,
} as const satisfies Readonly<Record<string, () => Promise<Catalogue>>>;

/** Words for settings, which only forms need. */
export const SETTING_TEXTS: Readonly<
  Record<ConsoleLanguage, () => Promise<Readonly<Record<string, SettingText>>>>
> = {
  en: async () => (await import('../../texts/en/settings.ts')).settings,
  de: async () => (await import('../../texts/de/settings.ts')).settings,
};

/** What log lines say, which only their page needs. */
export const LOG_TEXTS: Readonly<Record<ConsoleLanguage, () => Promise<LogTexts>>> = {
  en: async () => (await import('../../texts/en/log.ts')).logTexts,
  de: async () => (await import('../../texts/de/log.ts')).logTexts,
};

export type ConsoleLanguage = keyof typeof LANGUAGES;
export const LANGUAGE_NAMES = Object.keys(LANGUAGES) as readonly ConsoleLanguage[];

const KEY = 'language';

/** The browser's languages, most preferred first. */
const WANTED: readonly string[] = typeof navigator === 'undefined' ? [] : navigator.languages;

const ofTag = (tag: string): string => tag.split('-', 1)[0]?.toLowerCase() ?? '';
const known = (tag: string | null): ConsoleLanguage | undefined =>
  LANGUAGE_NAMES.find((each) => tag !== null && each === ofTag(tag));

/** The chosen language; otherwise the browser's first preference that the console supports. */
export const language: ConsoleLanguage =
  known(readKept(KEY)) ?? WANTED.map(known).find((each) => each !== undefined) ?? 'en';

/** The language with the browser's region, which determines date and number formats. */
export const locale: string = WANTED.find((tag) => ofTag(tag) === language) ?? language;

/** Reloads the console, because pages read their texts while loading. */
export function chooseLanguage(next: ConsoleLanguage): void {
  keep(KEY, next);
  location.reload();
}

/** The language's name in that language. */
export const nameOf = (tag: ConsoleLanguage): string =>
  new Intl.DisplayNames([tag], { type: 'language' }).of(tag) ?? tag;
