import { counted, number } from './format.ts';
import { language, LANGUAGES } from './language.ts';
import type { Texts } from './languages/en.ts';

export type { Texts } from './languages/en.ts';
export type { Ended } from './textFormat.ts';

/** Texts of the console in the reader's language. Importing modules wait until they are loaded. */
export const t: Texts = (await LANGUAGES[language]())({ counted, number });

if (typeof document !== 'undefined') document.documentElement.lang = language;
