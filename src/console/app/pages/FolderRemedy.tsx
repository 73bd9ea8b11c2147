import { useState } from 'preact/hooks';
import { call } from '../api.ts';
import { Button } from '../parts/Button.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { useAct } from '../parts/hooks.ts';
import { announce } from '../parts/Notice.tsx';
import { valueAt, type Json } from '../settings/edits.ts';
import { TYPES } from '../settings/fields.ts';
import { t } from '../texts.ts';
import type { Group } from './rejectedGroups.ts';

interface RemedyProps {
  readonly group: Group;
  readonly onDone: () => void;
}

const MEGA = 1_000_000;

/** The setting of the folder that keeps these files back, changed where they are seen. */
export function FolderRemedy({ group, onDone }: RemedyProps) {
  const [isAsking, setAsking] = useState(false);
  const isLimit = group.reason === 'TOO_LARGE';
  if (group.folder === '' || (!isLimit && group.types.length === 0)) return null;
  const close = () => setAsking(false);
  return (
    <>
      <Button onClick={() => setAsking(true)}>
        {isLimit ? t.rejected.raise : t.rejected.accept(group.types)}
      </Button>
      {isAsking &&
        (isLimit ? (
          <Limit group={group} onDone={onDone} onClose={close} />
        ) : (
          <Types group={group} onDone={onDone} onClose={close} />
        ))}
    </>
  );
}

interface DialogProps extends RemedyProps {
  readonly onClose: () => void;
}

function Limit({ group, onDone, onClose }: DialogProps) {
  const act = useAct();
  const [size, setSize] = useState(`${Math.ceil(group.largest / MEGA) + 1}MB`);
  const save = async () => {
    await change(group.folder, 'maxFileSize', () => size.trim());
    announce(t.rejected.looked);
    onClose();
    onDone();
  };
  return (
    <Dialog
      title={t.rejected.raiseTitle}
      confirm={t.rejected.save}
      act={act}
      onConfirm={() => void act.run(save)}
      onClose={onClose}
    >
      <div class="field">
        <label for="limit">{t.fields.maxFileSize.label}</label>
        <input id="limit" value={size} onInput={({ currentTarget }) => setSize(currentTarget.value)} />
      </div>
      <p>{t.rejected.raiseMeans(group.folder, group.rows.length)}</p>
    </Dialog>
  );
}

function Types({ group, onDone, onClose }: DialogProps) {
  const act = useAct();
  const save = async () => {
    // What the file does not say is every type but PDF.
    const accepted = (now: Json | undefined) => [
      ...new Set([
        ...(Array.isArray(now) ? now.map(String) : TYPES.filter((each) => each !== 'pdf')),
        ...group.types,
      ]),
    ];
    await change(group.folder, 'accept', accepted);
    announce(t.rejected.looked);
    onClose();
    onDone();
  };
  return (
    <Dialog
      title={t.rejected.acceptTitle(group.types)}
      confirm={t.rejected.save}
      act={act}
      onConfirm={() => void act.run(save)}
      onClose={onClose}
    >
      <p>{t.rejected.acceptMeans(group.folder, group.rows.length)}</p>
      {group.types.includes('pdf') && <p>{t.rejected.pdfMeans}</p>}
    </Dialog>
  );
}

/** @throws ApiError, where somebody else changed the file meanwhile, say */
async function change(
  folder: string,
  key: 'maxFileSize' | 'accept',
  valueOf: (now: Json | undefined) => string | string[],
): Promise<void> {
  const { revision, values, folderPaths } = await call('config', {});
  const path = ['folders', folderPaths.indexOf(folder), key];
  const value = valueOf(valueAt(values, path));
  await call('changeConfig', { revision, edits: [{ kind: 'set', path, value }] });
}
