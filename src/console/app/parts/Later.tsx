import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { t } from '../texts.ts';
import { Failure, Loading } from './Notice.tsx';

/**
 * Loads a page when it is first opened, to keep the console small. `load` fails if, for example, the agent was updated and no
 * longer has the file. The console then has to be reloaded.
 */
export function later(load: () => Promise<ComponentType>): ComponentType {
  let loaded: ComponentType | null = null;
  return function Later() {
    const [Page, setPage] = useState(() => loaded);
    const [failed, setFailed] = useState(false);
    useEffect(() => {
      if (Page !== null) return;
      load().then(
        (its) => setPage(() => (loaded = its)),
        () => setFailed(true),
      );
    }, []);
    if (Page !== null) return <Page />;
    return (
      <main id="main">
        {failed ? <Failure error={t.notLoaded} again={() => location.reload()} /> : <Loading />}
      </main>
    );
  };
}
