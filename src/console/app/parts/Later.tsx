import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { t } from '../texts.ts';
import { Failure, Loading } from './Notice.tsx';

interface Loaded<Props> {
  /** Null until it is loaded. */
  readonly Part: ComponentType<Props> | null;
  /** That it could not be loaded; null if it could. */
  readonly failure: preact.JSX.Element | null;
  /** Loads it, unless it is loaded. */
  readonly load: () => void;
}

/**
 * A part that is loaded when it is first needed, to keep the console small. `from` fails if, for example, the agent was updated and no
 * longer has the file. The console then has to be reloaded.
 */
export function useLater<Props>(from: () => Promise<ComponentType<Props>>): Loaded<Props> {
  const [Part, setPart] = useState<ComponentType<Props> | null>(null);
  const [failed, setFailed] = useState(false);
  const load = () => {
    if (Part !== null) return;
    from().then(
      (its) => setPart(() => its),
      () => setFailed(true),
    );
  };
  const failure = failed ? <Failure error={t.notLoaded} again={() => location.reload()} /> : null;
  return { Part, failure, load };
}

/** A page that is loaded when it is first opened. */
export function later<Props extends object>(from: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let loaded: ComponentType<Props> | null = null;
  return function Later(props: Props) {
    const { Part, failure, load } = useLater(async () => (loaded = await from()));
    useEffect(() => {
      if (loaded === null) load();
    }, []);
    const Page = loaded ?? Part;
    return Page === null ? <main id="main">{failure ?? <Loading />}</main> : <Page {...props} />;
  };
}
