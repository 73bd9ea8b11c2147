import { useState } from 'preact/hooks';
import { t } from '../texts.ts';
import { Button } from './Button.tsx';
import { useCall } from './hooks.ts';
import { Failure } from './Notice.tsx';

/**
 * Picks a directory on the machine that receiptd runs on, one level at a time. The opened directory is the picked one, but not a
 * place to begin with, such as a drive.
 */
export function FolderPicker({ onPicked }: { readonly onPicked: (path: string) => void }) {
  const [path, setPath] = useState<string | null>(null);
  const { data, error } = useCall('directories', path === null ? {} : { path });
  const open = (next: string | null) => {
    setPath(next);
    if (next !== null && data?.path !== null) onPicked(next);
  };
  return (
    <section class="picker" aria-label={t.setup.folders}>
      <Failure error={error} again={() => open(null)} />
      {data !== null && (
        <>
          <p class="mono">{data.path === null ? t.setup.begin : t.setup.inside(data.path)}</p>
          <ul>
            {data.path !== null && data.path !== '/' && (
              <li>
                <Button onClick={() => open(data.parent)}>{t.setup.up}</Button>
              </li>
            )}
            {data.folders.map((each) => (
              <li key={each.path}>
                <Button onClick={() => open(each.path)}>{each.name}</Button>
              </li>
            ))}
          </ul>
          {data.folders.length === 0 && <p class="muted">{t.setup.none}</p>}
          {data.isCut && <p class="muted">{t.setup.cut}</p>}
        </>
      )}
      <p class="muted small">{t.setup.share}</p>
    </section>
  );
}
