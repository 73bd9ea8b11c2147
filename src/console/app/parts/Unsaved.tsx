import { useEffect, useState } from 'preact/hooks';
import { guardLeaving } from '../router.ts';
import { t } from '../texts.ts';
import { Dialog } from './Dialog.tsx';

/** Asks before leaving a form with unsaved input, by a link, the browser's buttons or a reload. */
export function Unsaved({ isTyped }: { readonly isTyped: boolean }) {
  const [leave, setLeave] = useState<(() => void) | null>(null);
  useEffect(() => {
    if (!isTyped) return;
    // The browser shows its own confirmation.
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
      onConfirm={leave}
      onClose={() => setLeave(null)}
    >
      <p>{t.unsaved.means}</p>
    </Dialog>
  );
}
