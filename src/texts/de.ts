import type { Format } from './format.ts';
import type { Texts } from './en.ts';
import { codesTexts } from './de/codes.ts';
import { columnsTexts } from './de/columns.ts';
import { errorsTexts } from './de/errors.ts';
import { findingTexts, subjectText } from './de/findings.ts';
import { noteTexts } from './de/notes.ts';
import { problemsTexts } from './de/problems.ts';
import { reasonsTexts } from './de/reasons.ts';
import { expectedTexts, flawTexts, foundTexts } from './de/settingFlaws.ts';
import { unsentTexts } from './de/unsent.ts';
import { whyTexts } from './de/why.ts';

export default function german(format: Format): Texts {
  const unsent = unsentTexts(format);
  return {
    format,
    ...unsent,
    ...codesTexts(format, unsent.needs),
    ...columnsTexts,
    errors: errorsTexts(format),
    findings: findingTexts(format),
    subjectText,
    agentNotes: noteTexts(format),
    why: whyTexts(format),
    expected: expectedTexts,
    flaws: flawTexts(format),
    found: foundTexts,
    ...reasonsTexts(),
    ...problemsTexts(format),
  };
}
