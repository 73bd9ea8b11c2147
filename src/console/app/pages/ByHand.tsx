import { useEffect, useRef, useState } from 'preact/hooks';
import type { UploadAnswer } from '../../../control/protocol/sending.ts';
import { isAbort, sendFile } from '../api.ts';
import { told } from '../explanations.ts';
import { bytes } from '../format.ts';
import { useOverview } from '../live.ts';
import { Button } from '../parts/Button.tsx';
import { useModal } from '../parts/Dialog.tsx';
import { Problem } from '../parts/Explanations.tsx';
import { Form, SelectField } from '../parts/Field.tsx';
import { Icon } from '../parts/Icon.tsx';
import { announce } from '../parts/Notice.tsx';
import { Words } from '../parts/Words.tsx';
import { Wrapped } from '../parts/Wrapped.tsx';
import { t } from '../texts.ts';
import { documentHref } from './documentFilter.ts';

/** Files that were chosen with the button or dropped on the page are sent after a question. */
export function ByHand({ onDone }: { readonly onDone: () => void }) {
  const [files, setFiles] = useState<readonly File[]>([]);
  const input = useRef<HTMLInputElement>(null);
  const choose = (chosen: readonly File[]) => {
    if (chosen.length === 0) announce(t.byHand.none);
    setFiles(chosen);
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
      {files.length > 0 && <SendDialog files={files} onDone={onDone} onClose={() => setFiles([])} />}
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

type Progress =
  | { readonly kind: 'left' }
  | { readonly kind: 'sending'; readonly share: number }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'answered'; readonly answer: UploadAnswer };

const LEFT: Progress = { kind: 'left' };

interface SendDialogProps {
  readonly files: readonly File[];
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** Asks, sends one file after the other, and says what became of each. An error stops it; the person can go on. */
function SendDialog({ files, onDone, onClose }: SendDialogProps) {
  const dialog = useModal();
  const way = useRef<HTMLButtonElement>(null);
  const endpoints = useOverview()?.endpoints ?? [];
  const [chosen, setChosen] = useState<string | null>(null);
  const [progress, setProgress] = useState<readonly Progress[]>(() => files.map(() => LEFT));
  const [sending, setSending] = useState<AbortController | null>(null);
  const endpoint = endpoints.find(({ alias }) => alias === chosen) ?? endpoints[0];
  const left = files.flatMap((file, index) =>
    progress[index]?.kind === 'left' || progress[index]?.kind === 'failed' ? [{ file, index }] : [],
  );
  const isNew = progress.every(({ kind }) => kind === 'left');
  // Closing the page ends what is being sent; nothing is left of it.
  useEffect(() => () => sending?.abort(), [sending]);

  const send = async (alias: string) => {
    const stop = new AbortController();
    setSending(stop);
    // The pressed button goes away.
    way.current?.focus();
    for (const { file, index } of left) {
      const set = (next: Progress) =>
        setProgress((before) => before.map((each, at) => (at === index ? next : each)));
      const onShare = (share: number) => set({ kind: 'sending', share });
      try {
        onShare(0);
        set({ kind: 'answered', answer: await sendFile(file, alias, { onShare, signal: stop.signal }) });
      } catch (error) {
        set(isAbort(error) ? LEFT : { kind: 'failed', error });
        break;
      }
    }
    setSending(null);
    onDone();
  };

  const at = progress.findIndex(({ kind }) => kind === 'sending');
  const title =
    sending !== null ? t.byHand.titles.sending : isNew ? t.byHand.title(files.length) : t.byHand.titles.over;
  return (
    <dialog
      ref={dialog}
      class="by-hand"
      aria-labelledby="dialog-title"
      onCancel={(event) => {
        if (sending === null) return;
        event.preventDefault();
        sending.abort();
      }}
      onClose={onClose}
    >
      <Form onSubmit={() => endpoint !== undefined && void send(endpoint.alias)}>
        <h2 id="dialog-title">{title}</h2>
        <ul aria-label={t.byHand.files} tabIndex={0}>
          {files.map((file, index) => (
            // Two files of different folders can have the same name.
            <li key={index}>
              <p>
                <Wrapped text={file.name} /> <span class="muted small">{bytes(file.size)}</span>
              </p>
              <Result file={file} progress={progress[index] ?? LEFT} />
            </li>
          ))}
        </ul>
        {isNew && endpoints.length > 1 && (
          <SelectField
            id="by-hand-endpoint"
            label={t.byHand.endpoint}
            value={endpoint?.alias ?? ''}
            options={endpoints.map(({ alias }) => ({ value: alias, text: alias }))}
            onValue={setChosen}
          />
        )}
        {isNew && sending === null && endpoint !== undefined && (
          <>
            <p>
              {t.byHand.means(files.length, endpoint.alias)}{' '}
              {t.byHand.uses(endpoint.perDay, endpoint.perMonth)}
            </p>
            <p class="muted small">{t.byHand.kept}</p>
          </>
        )}
        <p role="status">{at >= 0 ? t.byHand.at(at + 1, files.length) : isNew ? '' : sumOf(progress)}</p>
        <div class="dialog-actions">
          <button
            ref={way}
            type="button"
            onClick={() => (sending === null ? dialog.current?.close() : sending.abort())}
          >
            {sending !== null ? t.byHand.stop : isNew ? t.cancel : t.close}
          </button>
          {sending === null && left.length > 0 && (
            <button type="submit" class="primary" disabled={endpoint === undefined}>
              {isNew ? t.byHand.confirm(left.length) : t.byHand.others(left.length)}
            </button>
          )}
        </div>
      </Form>
    </dialog>
  );
}

function Result({ file, progress }: { readonly file: File; readonly progress: Progress }) {
  switch (progress.kind) {
    case 'left':
      return null;
    case 'sending':
      return progress.share < 1 ? (
        <progress value={progress.share} aria-label={t.byHand.progress(file.name)} />
      ) : (
        <p class="muted small">{t.byHand.checking}</p>
      );
    case 'failed':
      return (
        <div class="small act-error">
          {t.byHand.notSent} <Problem error={progress.error} />
        </div>
      );
    case 'answered':
      return <Answered answer={progress.answer} />;
  }
}

function Answered({ answer }: { readonly answer: UploadAnswer }) {
  const { outcome, documentId, name, message, fact, state, waits } = answer;
  if (outcome === 'rejected' || documentId === null || name === null)
    return (
      <div class="small act-error">
        {t.byHand.notSent} <Words text={told({ message: message ?? '', fact })} />
      </div>
    );
  const as = outcome === 'queued' ? 'queued' : state === 'accepted' ? 'accepted' : 'known';
  return (
    <div class="small">
      {t.byHand[as]}{' '}
      <a href={documentHref(documentId, {})}>
        <Wrapped text={name} />
      </a>
      {waits !== null && (
        <p class="muted">
          <Words text={told(waits)} />
        </p>
      )}
    </div>
  );
}

function sumOf(progress: readonly Progress[]): string {
  const outcomes = progress.map((each) => (each.kind === 'answered' ? each.answer.outcome : 'rejected'));
  const count = (wanted: UploadAnswer['outcome']) => outcomes.filter((each) => each === wanted).length;
  return t.byHand.sum(count('queued'), count('duplicate'), count('rejected'));
}
