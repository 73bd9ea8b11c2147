import type { Language } from './language.ts';
import { formatOf, type Format } from './format.ts';
import type { Texts } from './en.ts';
import type outsideTexts from './en/outside.ts';

export type { Texts } from './en.ts';

/** The texts that the console shares, and those of what people read elsewhere. */
export type AllTexts = Texts & ReturnType<typeof outsideTexts>;

/** Loaded on demand. */
const CATALOGUES = {
  en: () => Promise.all([import('./en.ts'), import('./en/outside.ts')]),
  de: () => Promise.all([import('./de.ts'), import('./de/outside.ts')]),
} as const;

const LOGS = {
  en: async () => (await import('./en/log.ts')).logTexts,
  de: async () => (await import('./de/log.ts')).logTexts,
} as const;

/** What log lines say, by event; an agent of another version may have other events. */
export const logTextsIn = (language: Language): Promise<Readonly<Record<string, string>>> => LOGS[language]();

/** `time`: how times are shown. */
export async function textsIn(language: Language, time: Format['time']): Promise<AllTexts> {
  const format = formatOf(language, time);
  const [shared, outside] = await CATALOGUES[language]();
  return { ...shared.default(format), ...outside.default(format) };
}
