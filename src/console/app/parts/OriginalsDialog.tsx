import { useState } from 'preact/hooks';
import type { ConfigState } from '../../../control/protocol/settings.ts';
import type { JsonObject } from '../settings/edits.ts';
import { t } from '../texts.ts';
import { Dialog } from './Dialog.tsx';
import { useAct } from './hooks.ts';

export type Originals = NonNullable<ConfigState['originals']>[number];
export type ExistingOriginals = 'leave' | 'include';

/** Whether other originals than before would be archived or deleted, or in another way. */
export function changesOriginals(before: JsonObject, next: JsonObject): boolean {
  const { afterUpload = 'keep' } = next;
  if (afterUpload === 'keep') return false;
  return ['afterUpload', 'afterUploadOn'].some(
    (key) => JSON.stringify(before[key]) !== JSON.stringify(next[key]),
  );
}

interface OriginalsDialogProps {
  readonly originals: Originals;
  readonly onDecided: (existing: ExistingOriginals) => void;
  readonly onClose: () => void;
}

/** Asks about files that were accepted long before; without an answer they stay. */
export function OriginalsDialog({ originals, onDecided, onClose }: OriginalsDialogProps) {
  const { files, folder, afterUpload } = originals;
  const [existing, setExisting] = useState<ExistingOriginals>('leave');
  const act = useAct();
  const texts = t.originals[afterUpload];
  return (
    <Dialog
      title={texts.title}
      confirm={existing === 'include' ? texts.include(files) : t.form.save}
      danger={existing === 'include'}
      act={act}
      onConfirm={() => onDecided(existing)}
      onClose={onClose}
    >
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
