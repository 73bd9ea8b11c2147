import { useState } from 'preact/hooks';
import type { ConfigState } from '../../../control/protocol/settings.ts';
import { ConfigForm } from '../parts/ConfigForm.tsx';
import { FolderTest } from '../parts/FolderTest.tsx';
import { useCall } from '../parts/hooks.ts';
import { Answer } from '../parts/Notice.tsx';
import { Page } from '../parts/Page.tsx';
import { go, href } from '../router.ts';
import { appendTo, editsBetween, objectAt, valueAt, type EditedObject } from '../settings/edits.ts';
import { fieldsOf } from '../settings/fields.ts';
import { t } from '../texts.ts';
import { Button } from '../parts/Button.tsx';

const BACK = { href: href(['folders']), text: t.folders.title };

/** @param path a configured folder; null for a new one */
export function FolderEdit({ path }: { readonly path: string | null }) {
  const config = useCall('config', {});
  const title = path === null ? t.folders.addTitle : t.folders.editTitle;
  return (
    <Page title={title} back={BACK}>
      <Answer asked={config}>{(data) => <Form key={path} config={data} path={path} />}</Answer>
    </Page>
  );
}

function Form({ config, path }: { readonly config: ConfigState; readonly path: string | null }) {
  const [tested, setTested] = useState<EditedObject | null>(null);
  const values = (state: ConfigState): EditedObject | null =>
    path === null ? {} : objectAt(state.values, ['folders', state.folderPaths.indexOf(path)]);
  return (
    <ConfigForm
      config={config}
      folder={path}
      groups={fieldsOf(config, 'folders', 'folders[].')}
      values={values}
      edits={(state, before, next) => {
        if (path !== null) {
          return editsBetween(before, next, ['folders', state.folderPaths.indexOf(path)]);
        }
        if (next['path'] === undefined) return [];
        return [appendTo(valueAt(state.values, ['folders']), ['folders'], next)];
      }}
      saved={path === null ? t.folders.added : t.form.saved}
      onSaved={() => go(BACK.href)}
      cancel={BACK.href}
      extra={(next) => (
        <div class="test">
          <Button disabled={next['path'] === undefined} onClick={() => setTested({ ...next })}>
            {t.folders.testBefore}
          </Button>
          {tested !== null && <Tested folder={tested} onClose={() => setTested(null)} />}
        </div>
      )}
    />
  );
}

function Tested({ folder, onClose }: { readonly folder: EditedObject; readonly onClose: () => void }) {
  const { path, ...settings } = folder;
  return <FolderTest path={typeof path === 'string' ? path : ''} settings={settings} onClose={onClose} />;
}
