import type { Language } from './language.ts';
import { formatOf, type Format } from './format.ts';
import type { Texts } from './en.ts';

export type { Texts } from './en.ts';

/** Loaded on demand. */
const CATALOGUES = {
  en: async () => (await import('./en.ts')).default,
  de: async () => (await import('./de.ts')).default,
} as const satisfies Readonly<Record<Language, () => Promise<(format: Format) => Texts>>>;

/** `time`: how times are shown. */
export async function textsIn(language: Language, time: Format['time']): Promise<Texts> {
  return (await CATALOGUES[language]())(formatOf(language, time));
}
