import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Consequence } from '../../../control/protocol/consequences.ts';
import { call } from '../api.ts';
import { Button } from '../parts/Button.tsx';
import { ConsequencesDialog } from '../parts/Consequences.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { TextField } from '../parts/Field.tsx';
import { IfNotWritable } from '../parts/LastChange.tsx';
import { announce } from '../parts/Notice.tsx';
import { valueAt, type EditedJson } from '../settings/edits.ts';
import { loadLabels, wordsFor } from '../settings/labels.ts';
import { t } from '../texts.ts';
import type { Group } from './rejectedGroups.ts';

await loadLabels();

interface RemedyProps {
  readonly group: Group;
  readonly onDone: () => void;
}

const MEGA = 1_000_000;

/** Changes the folder setting that rejected these files, right beside them. */
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

interface FolderRemedyProps extends RemedyProps {
  readonly onClose: () => void;
}

function Limit({ group, onDone, onClose }: FolderRemedyProps) {
  const [size, setSize] = useState(`${Math.ceil(group.largest / MEGA) + 1}MB`);
  return (
    <Change
      group={group}
      settingKey="maxFileSize"
      title={t.rejected.raiseTitle}
      valueOf={() => size.trim()}
      {...{ onDone, onClose }}
    >
      <TextField id="limit" label={wordsFor('folders[].maxFileSize').label} value={size} onValue={setSize} />
      <p>{t.rejected.raiseMeans(group.folder, group.rows.length)}</p>
    </Change>
  );
}

function Types({ group, onDone, onClose }: FolderRemedyProps) {
  const accepted = (now: EditedJson | undefined, initial: string) => [
    ...new Set([...(Array.isArray(now) ? now.map(String) : initial.split(' ')), ...group.types]),
  ];
  return (
    <Change
      group={group}
      settingKey="accept"
      title={t.rejected.acceptTitle(group.types)}
      valueOf={accepted}
      {...{ onDone, onClose }}
    >
      <p>{t.rejected.acceptMeans(group.folder, group.rows.length)}</p>
      {group.types.includes('pdf') && <p>{t.rejected.pdfMeans}</p>}
    </Change>
  );
}

interface ChangeProps extends FolderRemedyProps {
  readonly title: string;
  readonly settingKey: 'maxFileSize' | 'accept';
  readonly valueOf: (now: EditedJson | undefined, initial: string) => string | string[];
  readonly children: ComponentChildren;
}

/** Asks for confirmation if the change has further consequences, like the settings forms. */
function Change({ group, title, settingKey, valueOf, children, onDone, onClose }: ChangeProps) {
  const [asked, setAsked] = useState<readonly Consequence[] | null>(null);
  const save = async () => {
    const { revision, values, folderPaths, settings } = await call('config', {});
    const { initial } = settings.find(({ key }) => key === `folders[].${settingKey}`) ?? {};
    const path = ['folders', folderPaths.indexOf(group.folder), settingKey];
    const change = {
      revision,
      edits: [{ kind: 'set' as const, path, value: valueOf(valueAt(values, path), initial ?? '') }],
    };
    if (asked === null) {
      const { consequences = [] } = await call('changeConfig', { ...change, dryRun: true });
      if (consequences.length > 0) return setAsked(consequences);
    }
    await call('changeConfig', change);
    announce(t.rejected.looked);
    onClose();
    onDone();
  };
  if (asked !== null) {
    return (
      <ConsequencesDialog
        title={t.consequences.title}
        confirm={t.consequences.confirm}
        consequences={asked}
        onConfirm={save}
        onClose={onClose}
      />
    );
  }
  return (
    <Dialog title={title} confirm={t.rejected.save} onConfirm={save} onClose={onClose}>
      <IfNotWritable />
      {children}
    </Dialog>
  );
}
