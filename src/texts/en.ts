import type { ErrorTexts } from './errors.ts';
import type { Format } from './format.ts';
import { codesTexts } from './en/codes.ts';
import { columnsTexts } from './en/columns.ts';
import { errorsTexts } from './en/errors.ts';
import { findingTexts, type Findings } from './en/findings.ts';
import { noteTexts, type NoteTexts } from './en/notes.ts';
import { problemsTexts } from './en/problems.ts';
import { reasonsTexts } from './en/reasons.ts';
import { expectedTexts, flawTexts, foundTexts, type SettingFlaws } from './en/settingFlaws.ts';
import { unsentTexts } from './en/unsent.ts';
import { whyTexts, type WhyTexts } from './en/why.ts';

/** The texts of every part in English. To add a language, add a folder of these files, a file like this one and a line in `texts.ts`. */
export default function english(format: Format) {
  const unsent = unsentTexts(format);
  const errors: ErrorTexts = errorsTexts(format);
  const settingFlaws: SettingFlaws = { expected: expectedTexts, flaws: flawTexts(format), found: foundTexts };
  const findings: Findings = { findings: findingTexts(format), subjectText: String };
  const agentNotes: NoteTexts = noteTexts(format);
  const why: WhyTexts = whyTexts(format);
  return {
    format,
    ...unsent,
    ...codesTexts(format, unsent.needs),
    ...columnsTexts,
    errors,
    ...settingFlaws,
    ...findings,
    agentNotes,
    why,
    ...reasonsTexts(),
    ...problemsTexts(format),
  };
}

export type Texts = ReturnType<typeof english>;
