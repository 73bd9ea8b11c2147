import { useEffect, useState } from 'preact/hooks';
import type { DocumentDetailJson } from '../../../control/protocol/documents.ts';
import { Button } from '../parts/Button.tsx';
import { useAsk } from '../parts/hooks.ts';
import { Loading } from '../parts/Notice.tsx';
import { canShow, imageUrl, pictureUrl, Thumb } from '../parts/Thumb.tsx';
import { Viewer } from '../parts/Viewer.tsx';
import { t } from '../texts.ts';

interface PreviewProps {
  readonly document: DocumentDetailJson;
}

/** Shows the image itself if browsers can display its format, else rendered pages. */
export function Preview({ document }: PreviewProps) {
  return canShow(document.type) ? <Image document={document} /> : <Pages document={document} />;
}

function Image({ document }: PreviewProps) {
  const { id, name } = document;
  const [isGone, setGone] = useState(false);
  if (isGone) return <None document={document} why={t.document.imageGone} />;
  return (
    <div class="preview">
      <Viewer src={imageUrl(id)} alt={t.document.imageOf(name)} onError={() => setGone(true)} />
    </div>
  );
}

function None({ document, why }: PreviewProps & { readonly why: string }) {
  const { id, sha256, type } = document;
  return (
    <div class="preview none">
      <Thumb id={id} sha256={sha256} type={type} class="big-type" />
      <p>{why}</p>
    </div>
  );
}

interface PreviewImage {
  readonly url: string;
  readonly pages: number;
}

function Pages({ document }: PreviewProps) {
  const { id, name, sha256, type } = document;
  const [page, setPage] = useState(1);
  const { data, error } = useAsk((signal) => load(pictureUrl(id, sha256, page), TRIES, signal), sha256, page);
  useEffect(() => () => URL.revokeObjectURL(data?.url ?? ''), [data]);
  if (error !== null) return <None document={document} why={t.document.noPreview(type.toUpperCase())} />;
  if (data === null) return <Loading />;
  return (
    <div class="preview">
      <Viewer src={data.url} alt={t.document.imageOf(name)} />
      {data.pages > 1 && (
        <nav class="preview-pages">
          <Button disabled={page <= 1} onClick={() => setPage(page - 1)}>
            {t.documents.previous}
          </Button>
          <span role="status">{t.document.pageOf(page, data.pages)}</span>
          <Button disabled={page >= data.pages} onClick={() => setPage(page + 1)}>
            {t.documents.next}
          </Button>
        </nav>
      )}
    </div>
  );
}

const TRIES = 4;
const AGAIN_MS = 2_000;

/** Loads a page's picture, with retries while it is being rendered. @throws Error if there is none; the abort reason of `signal` */
async function load(url: string, tries: number, signal: AbortSignal): Promise<PreviewImage> {
  const answer = await fetch(url, { signal });
  if (answer.status === 503 && tries > 1) {
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    return load(url, tries - 1, signal);
  }
  if (!answer.ok) throw new Error(url);
  const bytes = await answer.blob();
  signal.throwIfAborted();
  return { url: URL.createObjectURL(bytes), pages: Number(answer.headers.get('receiptd-pages')) };
}
