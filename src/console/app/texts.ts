import { counted, number } from './format.ts';
import { language, LANGUAGES } from './language.ts';
import type { Texts } from './languages/en.ts';

export type { Texts } from './languages/en.ts';
export type { Ended } from './textFormat.ts';

/** What the console says, in the language of whoever reads it; whatever imports this waits for it. */
export const t: Texts = (await LANGUAGES[language]())({ counted, number });

if (typeof document !== 'undefined') document.documentElement.lang = language;
