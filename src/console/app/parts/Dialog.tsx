import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { t } from '../texts.ts';
import type { Act } from './hooks.ts';
import { Failure } from './Notice.tsx';
import { Button } from './Button.tsx';

interface DialogProps {
  readonly title: string;
  readonly children: ComponentChildren;
  readonly confirm: string;
  readonly cancel?: string;
  readonly danger?: boolean;
  readonly act: Act;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Asks for confirmation. Escape and the first button cancel. */
export function Dialog({
  title,
  children,
  confirm,
  cancel = t.cancel,
  danger = false,
  act,
  onConfirm,
  onClose,
}: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog ref={dialog} aria-labelledby="dialog-title" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onConfirm();
        }}
      >
        <h2 id="dialog-title">{title}</h2>
        {children}
        <Failure error={act.error} />
        <div class="dialog-actions">
          <Button onClick={() => dialog.current?.close()}>{cancel}</Button>
          <button type="submit" class={danger ? 'danger' : 'primary'} disabled={act.busy}>
            {confirm}
          </button>
        </div>
      </form>
    </dialog>
  );
}
