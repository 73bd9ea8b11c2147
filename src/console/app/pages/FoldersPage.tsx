import { useState } from 'preact/hooks';
import type { OverviewResponse } from '../../../control/protocol/overview.ts';
import { ApiError, call } from '../api.ts';
import { useOverview } from '../live.ts';
import { Dialog } from '../parts/Dialog.tsx';
import { FolderTest } from '../parts/FolderTest.tsx';
import { Loading, announce } from '../parts/Notice.tsx';
import { Page } from '../parts/Page.tsx';
import { FolderTable } from '../parts/StatusTables.tsx';
import { IfNotWritable, RecentChange } from '../parts/LastChange.tsx';
import { PauseButton } from '../parts/PauseButton.tsx';
import { href } from '../router.ts';
import { t } from '../texts.ts';
import { Button } from '../parts/Button.tsx';

export function FoldersPage() {
  const overview = useOverview();
  const [tested, setTested] = useState<string | null>(null);
  const [removing, setRemoving] = useState<string | null>(null);
  return (
    <Page
      title={t.folders.title}
      actions={
        <a class="button primary" href={href(['folders', 'new'])}>
          {t.folders.add}
        </a>
      }
    >
      <RecentChange sections={['folders']} />
      {overview === null ? (
        <Loading />
      ) : (
        <FolderTable
          overview={overview}
          actions={({ path }) => (
            <>
              <a class="button" href={href(['folders', 'edit'], { path })} aria-label={t.of(t.edit, path)}>
                {t.edit}
              </a>
              <PauseButton target={path} isPaused={isPaused(overview, path)} />
              <Button aria-label={t.of(t.folders.test, path)} onClick={() => setTested(path)}>
                {t.folders.test}
              </Button>
              <Button aria-label={t.of(t.remove, path)} onClick={() => setRemoving(path)}>
                {t.remove}
              </Button>
            </>
          )}
        />
      )}
      {tested !== null && <FolderTest key={tested} path={tested} onClose={() => setTested(null)} />}
      {removing !== null && <Remove path={removing} onClose={() => setRemoving(null)} />}
    </Page>
  );
}

function isPaused({ holds }: OverviewResponse, path: string): boolean {
  return holds.some(({ scope, key, reason }) => scope === 'folder' && key === path && reason === 'PAUSED');
}

function Remove({ path, onClose }: { readonly path: string; readonly onClose: () => void }) {
  const remove = async () => {
    const config = await call('config', {});
    const index = config.folderPaths.indexOf(path);
    if (index < 0) throw new ApiError(0, { code: 'USAGE', message: t.form.goneFromFile });
    await call('changeConfig', {
      revision: config.revision,
      edits: [{ kind: 'remove', path: ['folders', index] }],
    });
    announce(t.folders.removed(path));
    onClose();
  };
  return (
    <Dialog
      title={t.folders.removeTitle}
      confirm={t.folders.removeConfirm}
      danger
      onConfirm={remove}
      onClose={onClose}
    >
      <IfNotWritable />
      <p class="mono">{path}</p>
      <p>{t.folders.removeMeans}</p>
    </Dialog>
  );
}
