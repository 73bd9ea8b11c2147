import type { Format } from './format.ts';
import type { Texts } from './en.ts';
import { scanNotesTexts } from './de/scanNotes.ts';

export default function german(format: Format): Texts {
  return { format, ...scanNotesTexts(format) };
}
