import type { Format } from './format.ts';
import { scanNotesTexts } from './en/scanNotes.ts';

/** The texts of every part in English. To add a language, add a folder of these files, a file like this one and a line in `texts.ts`. */
export default function english(format: Format) {
  return { format, ...scanNotesTexts(format) };
}

export type Texts = ReturnType<typeof english>;
