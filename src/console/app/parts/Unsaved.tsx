import { useEffect, useState } from 'preact/hooks';
import { guardLeaving } from '../router.ts';
import { t } from '../texts.ts';
import { Dialog } from './Dialog.tsx';
import { useAct } from './hooks.ts';

/** Beside a form: while something typed is not saved, leaving the page by a link, the browser's buttons or a reload asks first. */
export function Unsaved({ isTyped }: { readonly isTyped: boolean }) {
  const [leave, setLeave] = useState<(() => void) | null>(null);
  const act = useAct();
  useEffect(() => {
    if (!isTyped) return;
    // The browser asks in its own words.
    const hold = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', hold);
    guardLeaving((itsLeave) => setLeave(() => itsLeave));
    return () => {
      removeEventListener('beforeunload', hold);
      guardLeaving(null);
    };
  }, [isTyped]);
  if (leave === null) return null;
  return (
    <Dialog
      title={t.unsaved.title}
      confirm={t.unsaved.leave}
      cancel={t.unsaved.stay}
      danger
      act={act}
      onConfirm={leave}
      onClose={() => setLeave(null)}
    >
      <p>{t.unsaved.means}</p>
    </Dialog>
  );
}
