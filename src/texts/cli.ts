import type { CliTexts } from './en/cli.ts';
import { formatOf, type Format } from './format.ts';
import type { Language } from './language.ts';

export type { CliTexts } from './en/cli.ts';

/** Loaded on demand. */
const CATALOGUES = {
  en: async () => (await import('./en/cli.ts')).default,
  de: async () => (await import('./de/cli.ts')).default,
} as const satisfies Readonly<Record<Language, () => Promise<(format: Format) => CliTexts>>>;

/** What commands print. `time`: how times are shown. */
export async function cliTextsIn(language: Language, time: Format['time']): Promise<CliTexts> {
  return (await CATALOGUES[language]())(formatOf(language, time));
}
