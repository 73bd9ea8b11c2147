import { useEffect, useState } from 'preact/hooks';
import type { Request } from '../../../control/protocol/protocol.ts';
import type { ConfigState } from '../../../control/protocol/settings.ts';
import { Button } from '../parts/Button.tsx';
import { ConfigForm } from '../parts/ConfigForm.tsx';
import { Problem } from '../parts/Explanations.tsx';
import { FolderPicker } from '../parts/FolderPicker.tsx';
import { FolderTest, Tested } from '../parts/FolderTest.tsx';
import { useCall, useRested } from '../parts/hooks.ts';
import { Answer, Notice } from '../parts/Notice.tsx';
import { Page } from '../parts/Page.tsx';
import { go, href } from '../router.ts';
import {
  appendTo,
  editsBetween,
  objectAt,
  valueAt,
  type EditedJson,
  type EditedObject,
} from '../settings/edits.ts';
import { fieldsOf, type FieldGroups } from '../settings/fields.ts';
import { t } from '../texts.ts';

const BACK = { href: href(['folders']), text: t.folders.title };

/** @param path a configured folder; null for a new one */
export function FolderEdit({ path }: { readonly path: string | null }) {
  const config = useCall('config', {});
  const title = path === null ? t.folders.addTitle : t.folders.editTitle;
  return (
    <Page title={title} back={BACK}>
      <Answer asked={config}>
        {(data) => (path === null ? <Add config={data} /> : <Edit key={path} config={data} path={path} />)}
      </Answer>
    </Page>
  );
}

function Edit({ config, path }: { readonly config: ConfigState; readonly path: string }) {
  const at = (state: ConfigState) => ['folders', state.folderPaths.indexOf(path)] as const;
  return (
    <ConfigForm
      config={config}
      folder={path}
      groups={fieldsOf(config, 'folders', 'folders[].')}
      values={(state) => objectAt(state.values, at(state))}
      edits={(state, before, next) => editsBetween(before, next, at(state))}
      saved={t.form.saved}
      onSaved={() => go(BACK.href)}
      cancel={BACK.href}
      extra={(next) => <TestBefore folder={next} />}
    />
  );
}

/** The questions about a new folder. Everything else has a default. */
const QUESTIONS: Readonly<Record<string, readonly string[]>> = {
  which: ['path', 'recursive'],
  where: ['endpoint'],
  lying: ['existing'],
};
/** Not the default of the file: nobody means to pay for an archive by adding its folder. */
const NEW: EditedObject = { existing: 'skip' };

function Add({ config }: { readonly config: ConfigState }) {
  const [files, setFiles] = useState<number | null>(null);
  const all = Object.entries(fieldsOf(config, 'folders', 'folders[].'));
  const asked = Object.values(QUESTIONS).flat();
  const groups: FieldGroups = Object.fromEntries(
    Object.entries(QUESTIONS).map(([name, ids]) => [
      name,
      ids.flatMap((id) => all.flatMap(([, fields]) => fields.filter((field) => field.id === id))),
    ]),
  );
  const more: FieldGroups = Object.fromEntries(
    all.map(([name, fields]) => [name, fields.filter(({ id }) => !asked.includes(id))]),
  );
  return (
    <ConfigForm
      config={config}
      groups={groups}
      more={more}
      values={() => NEW}
      edits={(state, _, next) => {
        const { path } = next;
        // First, as people write it.
        const folder = path === undefined ? null : { path, ...next };
        return folder === null ? [] : [appendTo(valueAt(state.values, ['folders']), ['folders'], folder)];
      }}
      submit={t.folders.add}
      saved={t.folders.added}
      onSaved={() => go(BACK.href)}
      cancel={BACK.href}
      about={(group, next, type) => {
        if (group === 'lying') return <Lying files={files} existing={next['existing']} />;
        if (group !== 'which') return null;
        return (
          <>
            <Browse onPicked={(path) => type('path', path)} />
            <Look config={config} folder={next} onFiles={setFiles} />
          </>
        );
      }}
      extra={(next) => <TestBefore folder={next} />}
    />
  );
}

function Browse({ onPicked }: { readonly onPicked: (path: string) => void }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <div class="browse">
      <Button aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {t.folders.browse}
      </Button>
      {isOpen && <FolderPicker onPicked={onPicked} />}
    </div>
  );
}

const REST_MS = 400;

interface LookProps {
  readonly config: ConfigState;
  readonly folder: EditedObject;
  /** Receives how many files are there; null: not known. */
  readonly onFiles: (files: number | null) => void;
}

/** What is in the typed folder, once the person stops typing. */
function Look({ config, folder, onFiles }: LookProps) {
  const path = textOfPath(folder);
  const rested = useRested(path, REST_MS);
  useEffect(() => onFiles(null), [path]);
  if (path === '' || rested !== path) return null;
  // Any endpoint will do.
  const [endpoint = ''] = Object.keys(objectAt(config.values, ['endpoints']) ?? {});
  const settings = { endpoint, recursive: folder['recursive'] ?? false };
  return <Looked path={path} settings={settings} onFiles={onFiles} />;
}

function Looked({
  path,
  settings,
  onFiles,
}: { readonly path: string; readonly settings: EditedObject } & Pick<LookProps, 'onFiles'>) {
  const { data, error } = useCall('testFolder', { path, settings } as Request<'testFolder'>);
  useEffect(() => onFiles(data?.files ?? null), [data]);
  return (
    <div class="looked" aria-live="polite">
      {error !== null ? (
        <Notice tone="bad">
          <Problem error={error} />
        </Notice>
      ) : data === null ? (
        <p class="muted">{t.folderTest.running}</p>
      ) : (
        <Tested result={{ ...data, samples: [] }} />
      )}
    </div>
  );
}

function Lying({
  files,
  existing,
}: {
  readonly files: number | null;
  readonly existing: EditedJson | undefined;
}) {
  const [word = ''] = typeof existing === 'string' ? existing.split(' ') : [];
  const says = t.folders.lying;
  const means = word === 'skip' || word === 'since' || word === 'send' ? says[word] : null;
  return (
    <p class="lying" aria-live="polite">
      {files !== null && (files === 0 ? says.none : means?.(files))}
    </p>
  );
}

function TestBefore({ folder }: { readonly folder: EditedObject }) {
  const [tested, setTested] = useState<EditedObject | null>(null);
  // What happens to files already in it says nothing about the names of others.
  const { path: _, existing: __, ...settings } = tested ?? {};
  return (
    <div class="test">
      <Button disabled={folder['path'] === undefined} onClick={() => setTested(folder)}>
        {t.folders.testBefore}
      </Button>
      {tested !== null && (
        <FolderTest path={textOfPath(tested)} settings={settings} onClose={() => setTested(null)} />
      )}
    </div>
  );
}

function textOfPath({ path }: EditedObject): string {
  return typeof path === 'string' ? path : '';
}
