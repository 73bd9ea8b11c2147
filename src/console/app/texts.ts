import { format } from './format.ts';
import { language, LANGUAGES, type ConsoleTexts } from './language.ts';

export type { ConsoleTexts } from './language.ts';
export type { Ended } from './textFormat.ts';

/** Texts of the console in the reader's language. Importing modules wait until they are loaded. */
export const t: ConsoleTexts = (await LANGUAGES[language]())(format);

if (typeof document !== 'undefined') document.documentElement.lang = language;
