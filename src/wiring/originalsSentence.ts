import { counted } from '../core/domain/words.ts';
import type { FormerOriginals } from '../intake/dispose/originalsRule.ts';

/** Tells people which files are affected, and how to change that. */
export function originalsSentence({
  files,
  afterUpload,
  stay,
}: Pick<FormerOriginals, 'files' | 'afterUpload' | 'stay'>): string {
  const [was, stays, are, them] =
    files === 1 ? ['was', 'stays', 'is', 'it'] : ['were', 'stay', 'are', 'them'];
  const which = `${counted(files, 'file')} that ${was} accepted before \`afterUpload: ${afterUpload}\` was set`;
  return stay
    ? `${which} ${stays} in the folder; set \`afterUploadExisting: include\` to include ${them}.`
    : `${which} ${are} ${afterUpload === 'archive' ? 'archived' : 'deleted'} too; set \`afterUploadExisting: leave\` to keep ${them}.`;
}
