import { useEffect, useRef, useState } from 'preact/hooks';
import type { UploadAnswer } from '../../../control/protocol/sending.ts';
import { ApiError, contentOf, isAbort, unreachable } from '../api.ts';
import { told } from '../explanations.ts';
import { bytes } from '../format.ts';
import { useOverview } from '../live.ts';
import { useModal } from '../parts/Dialog.tsx';
import { Problem } from '../parts/Explanations.tsx';
import { Form, SelectField } from '../parts/Field.tsx';
import { Words } from '../parts/Words.tsx';
import { Wrapped } from '../parts/Wrapped.tsx';
import { t } from '../texts.ts';
import { documentHref } from './documentFilter.ts';

type Progress =
  | { readonly kind: 'left' }
  | { readonly kind: 'sending'; readonly share: number }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'answered'; readonly answer: UploadAnswer };

const LEFT: Progress = { kind: 'left' };

export interface SendDialogProps {
  readonly files: readonly File[];
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** Asks, sends one file after the other, and says what became of each. An error stops it; the person can go on. */
export function SendDialog({ files, onDone, onClose }: SendDialogProps) {
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

/**
 * Sends one file, and says which share of it has been sent: `fetch` can't. The share is of what has left the browser.
 * @throws ApiError, or what `signal` aborts with
 */
async function sendFile(
  file: File,
  endpoint: string,
  { onShare, signal }: { onShare: (share: number) => void; signal: AbortSignal },
): Promise<UploadAnswer> {
  await demandReadable(file);
  const query = new URLSearchParams({ name: file.name, endpoint, modified: String(file.lastModified) });
  const request = new XMLHttpRequest();
  const answer = await new Promise<Response>((resolve, reject) => {
    signal.throwIfAborted();
    const stop = () => request.abort();
    signal.addEventListener('abort', stop, { once: true });
    request.addEventListener('loadend', () => signal.removeEventListener('abort', stop));
    request.addEventListener('load', () =>
      resolve(new Response(request.responseText, { status: request.status })),
    );
    request.addEventListener('error', () => reject(unreachable(null)));
    request.addEventListener('abort', () => reject(signal.reason));
    request.upload.addEventListener('progress', ({ loaded, total }) =>
      onShare(total === 0 ? 1 : loaded / total),
    );
    request.open('POST', `/v1/files?${query}`);
    request.setRequestHeader('x-receiptd', 'console');
    request.setRequestHeader('content-type', 'application/octet-stream');
    request.send(file);
  });
  return (await contentOf(answer)) as UploadAnswer;
}

/** A file that was moved or changed after it was chosen would look like a broken connection. */
async function demandReadable(file: File): Promise<void> {
  try {
    await file.slice(0, 1).arrayBuffer();
  } catch (error) {
    const unreadable = new ApiError(0, { code: 'FILE_UNREADABLE', message: t.byHand.unreadable });
    unreadable.cause = error;
    throw unreadable;
  }
}
