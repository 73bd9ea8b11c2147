import type { ComponentChildren, RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { t } from '../texts.ts';
import { Button } from './Button.tsx';
import { Form } from './Field.tsx';
import { useAct, type ConsoleAct } from './hooks.ts';
import { Failure } from './Notice.tsx';

export interface DialogProps {
  readonly title: string;
  readonly children: ComponentChildren;
  readonly confirm: string;
  readonly cancel?: string;
  readonly danger?: boolean;
  /** Runs `onConfirm` and holds its error, if that has to outlive the dialog. */
  readonly act?: ConsoleAct;
  readonly onConfirm: () => void | Promise<void>;
  readonly onClose: () => void;
}

/** Asks for confirmation. Escape and the first button cancel. */
export function Dialog({
  title,
  children,
  confirm,
  cancel = t.cancel,
  danger = false,
  act: shared,
  onConfirm,
  onClose,
}: DialogProps) {
  const dialog = useModal();
  const own = useAct();
  const { busy, error, run } = shared ?? own;
  return (
    <dialog ref={dialog} aria-labelledby="dialog-title" onClose={onClose}>
      <Form onSubmit={() => void run(async () => onConfirm())}>
        <h2 id="dialog-title">{title}</h2>
        {children}
        <Failure error={error} />
        <div class="dialog-actions">
          <Button onClick={() => dialog.current?.close()}>{cancel}</Button>
          <button type="submit" class={danger ? 'danger' : 'primary'} disabled={busy}>
            {confirm}
          </button>
        </div>
      </Form>
    </dialog>
  );
}

/** Opens the dialog, and returns the focus when it is gone. */
export function useModal(): RefObject<HTMLDialogElement | null> {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return dialog;
}
