import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { t } from '../texts.ts';
import { Failure, Loading } from './Notice.tsx';

/**
 * A page that is loaded when it is first opened, so that nobody waits for it who does not. `load` may be refused its file: by an agent that
 * is newer than what this browser has, say. Then all of the console has to be read again.
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
