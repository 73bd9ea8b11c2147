import { format } from './format.ts';
import { language, LANGUAGES, type Texts } from './language.ts';

export type { Texts } from './language.ts';
export type { Ended } from './textFormat.ts';

/** Texts of the console in the reader's language. Importing modules wait until they are loaded. */
export const t: Texts = (await LANGUAGES[language]())(format);

if (typeof document !== 'undefined') document.documentElement.lang = language;
