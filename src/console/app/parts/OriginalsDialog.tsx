import { useState } from 'preact/hooks';
import type { Consequence } from '../../../control/protocol/consequences.ts';
import type { EditedObject } from '../settings/edits.ts';
import { t } from '../texts.ts';
import { Consequences, type Originals } from './Consequences.tsx';
import { Dialog } from './Dialog.tsx';

export type ExistingOriginals = 'leave' | 'include';

/** The folder's originals, if the change affects others or handles them differently, and nobody has decided about them yet. */
export function originalsOf(
  all: readonly Originals[],
  folder: string | null,
  before: EditedObject,
  next: EditedObject,
): Originals | null {
  const { afterUpload = 'keep' } = next;
  if (afterUpload === 'keep') return null;
  const changes = (key: string) => JSON.stringify(before[key]) !== JSON.stringify(next[key]);
  const isDecided = changes('afterUploadExisting');
  if (!isDecided && !changes('afterUpload') && !changes('afterUploadOn')) return null;
  const found = all.find((each) => each.folder === folder);
  return found === undefined || (isDecided && found.stay) ? null : found;
}

interface OriginalsDialogProps {
  readonly originals: Originals;
  /** Other consequences of the change. */
  readonly consequences: readonly Consequence[];
  readonly onDecided: (existing: ExistingOriginals) => void;
  readonly onClose: () => void;
}

/** Asks what to do with files accepted earlier; without an answer they stay. */
export function OriginalsDialog({ originals, consequences, onDecided, onClose }: OriginalsDialogProps) {
  const { files, folder, afterUpload } = originals;
  const [existing, setExisting] = useState<ExistingOriginals>('leave');
  const texts = t.originals[afterUpload];
  return (
    <Dialog
      title={texts.title}
      confirm={existing === 'include' ? texts.include(files) : t.form.save}
      danger={existing === 'include'}
      onConfirm={() => onDecided(existing)}
      onClose={onClose}
    >
      <Consequences consequences={consequences} />
      <p>{t.originals.says(files, folder)}</p>
      {(['leave', 'include'] as const).map((each) => (
        <label key={each} class="choice">
          <input
            type="radio"
            name="originals"
            checked={existing === each}
            onChange={() => setExisting(each)}
          />{' '}
          {each === 'leave' ? texts.fromNowOn : texts.include(files)}
        </label>
      ))}
    </Dialog>
  );
}
