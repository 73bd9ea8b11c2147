import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../parts/Button.tsx';
import { Icon } from '../parts/Icon.tsx';
import { useLater } from '../parts/Later.tsx';
import { announce } from '../parts/Notice.tsx';
import { t } from '../texts.ts';

/** Files that were chosen with the button or dropped on the page are sent after a question. */
export function ByHand({ onDone }: { readonly onDone: () => void }) {
  const [files, setFiles] = useState<readonly File[]>([]);
  const dialog = useLater(async () => (await import('./SendDialog.tsx')).SendDialog);
  const input = useRef<HTMLInputElement>(null);
  const choose = (chosen: readonly File[]) => {
    if (chosen.length === 0) announce(t.byHand.none);
    setFiles(chosen);
    dialog.load();
  };
  const isOver = useDrop(choose);
  return (
    <>
      <Button onClick={() => input.current?.click()}>
        <Icon name="up" />
        {t.byHand.open}
      </Button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        accept="image/*,application/pdf"
        onChange={({ currentTarget }) => {
          const chosen = [...(currentTarget.files ?? [])];
          // So that choosing the same file again is a change, too.
          currentTarget.value = '';
          if (chosen.length > 0) choose(chosen);
        }}
      />
      {isOver && <div class="drop-here">{t.byHand.drop}</div>}
      {dialog.failure}
      {files.length > 0 && dialog.Part !== null && (
        <dialog.Part files={files} onDone={onDone} onClose={() => setFiles([])} />
      )}
    </>
  );
}

/** Calls back with files dropped anywhere on the page. @returns whether some are being dragged over it */
function useDrop(onFiles: (files: readonly File[]) => void): boolean {
  const [isOver, setOver] = useState(false);
  const current = useRef(onFiles);
  current.current = onFiles;
  useEffect(() => {
    const over = (event: DragEvent) => {
      if (event.dataTransfer?.types.includes('Files') !== true) return;
      // Otherwise the browser would leave the page and show the file.
      event.preventDefault();
      const isOpen = hasDialog();
      if (isOpen) event.dataTransfer.dropEffect = 'none';
      setOver(!isOpen);
    };
    const leave = ({ relatedTarget }: DragEvent) => {
      if (relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent) => {
      if (event.dataTransfer?.types.includes('Files') !== true) return;
      event.preventDefault();
      setOver(false);
      if (!hasDialog()) current.current(filesIn(event.dataTransfer));
    };
    addEventListener('dragover', over);
    addEventListener('dragleave', leave);
    addEventListener('drop', drop);
    return () => {
      removeEventListener('dragover', over);
      removeEventListener('dragleave', leave);
      removeEventListener('drop', drop);
    };
  }, []);
  return isOver;
}

const hasDialog = (): boolean => document.querySelector('dialog[open]') !== null;

/** Without folders, whose content a browser does not send. */
function filesIn({ items }: DataTransfer): readonly File[] {
  return [...items].flatMap((item) => {
    if (item.kind !== 'file' || item.webkitGetAsEntry()?.isDirectory === true) return [];
    return item.getAsFile() ?? [];
  });
}
