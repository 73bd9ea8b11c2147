import { isErased, type Document } from '../../core/domain/document.ts';
import { ReceiptdError } from '../../core/domain/errors.ts';
import type { LedgerReports } from '../../core/ports/ledgerReports.ts';
import type { DocumentPictures, LocateImage, ShownPicture } from '../../core/ports/pictures.ts';
import type { ImageSearch } from '../../keeper/locateBytes.ts';
import { STREAMS } from '../protocol/streams.ts';
import { once, type StreamReply, type StreamRequest, type StreamRoute } from '../streams.ts';
import { numberedDocument } from './unknownDocument.ts';

export interface PictureDeps {
  readonly ledger: Pick<LedgerReports, 'document'>;
  readonly pictures: DocumentPictures;
  /** Checks that the bytes have the document's hash, so that only admitted images can be read here. */
  readonly locateBytes: (document: Document) => Promise<ImageSearch>;
}

/** Headers for untrusted content: however a browser interprets it, it can neither run scripts nor load anything. */
export const ALONE = {
  'content-security-policy': "sandbox; default-src 'none'",
  'x-content-type-options': 'nosniff',
};

const HASH_DIGITS = 16;
const DAY_S = 86_400;
const AGAIN_S = 5;
const PAGE = /^[1-9]\d{0,4}$/;

/** Thumbnails and page previews of documents. */
export function pictureStreams({ ledger, pictures, locateBytes }: PictureDeps): StreamRoute[] {
  const locate: LocateImage = async (document) => {
    const found = await locateBytes(document);
    return found.kind === 'bytes' ? found.bytes : null;
  };

  async function serve(
    { params, query, known }: StreamRequest,
    kind: string,
    draw: (document: Document) => Promise<ShownPicture>,
  ): Promise<StreamReply> {
    const document = await numberedDocument(ledger, params['id']);
    const digits = document.sha256.slice(0, HASH_DIGITS);
    const of = query.get('of');
    if (isErased(document) || (of !== null && of !== digits)) return nothing(404);
    const etag = `"${digits}-${kind}"`;
    const caching = of === null ? 'private, no-cache' : `private, max-age=${DAY_S}, immutable`;
    const headers = { etag, 'cache-control': caching, ...ALONE };
    if (known.includes(etag)) return { status: 304, headers, body: once('') };
    const shown = await draw(document);
    if (shown.kind !== 'picture') return nothing(shown.kind === 'busy' ? 503 : 404);
    return {
      headers: {
        ...headers,
        'content-type': 'image/webp',
        'content-length': String(shown.bytes.length),
        'receiptd-pages': String(shown.pages),
      },
      body: once(shown.bytes),
    };
  }

  return [
    {
      ...STREAMS.thumbnail,
      serve: (request) =>
        serve(request, 'thumbnail', (document) => pictures.thumbnail(document, locate, request.signal)),
    },
    {
      ...STREAMS.preview,
      async serve(request) {
        const page = request.query.get('page') ?? '1';
        if (!PAGE.test(page)) throw new ReceiptdError('USAGE.page');
        const draw = (document: Document) => pictures.preview(document, Number(page), locate, request.signal);
        return serve(request, `page-${page}`, draw);
      },
    },
  ];
}

function nothing(status: 404 | 503): StreamReply {
  const error =
    status === 404 ? new ReceiptdError('BYTES_GONE.preview') : new ReceiptdError('CONTROL_FAILED.preview');
  const again = status === 503 ? { 'retry-after': String(AGAIN_S) } : null;
  return {
    status,
    headers: { 'content-type': 'application/json', ...again },
    body: once(JSON.stringify(error.facts())),
  };
}
