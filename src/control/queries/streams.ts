import { endpointOf, type Document } from '../../core/domain/document.ts';
import { ReceiptdError } from '../../core/domain/errors.ts';
import { factsOf } from '../../core/domain/imageType.ts';
import { iso, local } from '../../core/domain/words.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { LedgerReports, ListRow } from '../../core/ports/ledgerReports.ts';
import { documentFilter } from '../protocol/documents.ts';
import { STREAMS } from '../protocol/streams.ts';
import { once, type StreamRequest, type StreamRoute } from '../streams.ts';
import { numberedDocument, unknownDocument } from './unknownDocument.ts';
import type { ResultColumn } from './columns.ts';
import { dayFormat } from './facets.ts';
import { csvLines, separatorOf, type CsvForm } from './csv.ts';
import { detailJson, listFilter, wordedRows } from './documents.ts';
import { jsonArray, namedRows } from './jsonArray.ts';
import { rowsOfDocuments } from './rowsOfDocuments.ts';
import { zipOf } from './zip.ts';
import { ALONE, pictureStreams, type PictureDeps } from './pictureStreams.ts';
import { within } from '../../core/domain/why.ts';
import { languageOf } from '../../texts/language.ts';
import { textsIn } from '../../texts/texts.ts';

export interface StreamDeps extends PictureDeps {
  readonly ledger: LedgerReports;
  readonly clock: Clock;
  /** The configured `results.columns`. */
  readonly columns: () => readonly ResultColumn[];
  readonly endpoints: () => CsvForm['endpoints'];
}

/** The read-only streams: pictures, exports and downloads. */
export function readingStreams(deps: StreamDeps): StreamRoute[] {
  const { ledger, clock, locateBytes, columns, endpoints } = deps;
  const download = (type: string, what: string, ending: string, query: StreamRequest['query']) => ({
    'content-type': type,
    'content-disposition': `attachment; filename="${what}-${periodName(query, clock.now())}.${ending}"`,
  });
  return [
    ...pictureStreams(deps),
    {
      ...STREAMS.csv,
      serve: async ({ query }) => ({
        headers: download('text/csv; charset=utf-8; header=present', 'documents', 'csv', query),
        body: csvLines(wordedRows(rowsWanted(ledger, query)), await formOf(query, endpoints()), columns()),
      }),
    },
    {
      ...STREAMS.json,
      serve: async ({ query }) => ({
        headers: download('application/json; charset=utf-8', 'documents', 'json', query),
        body: jsonArray(namedRows(wordedRows(rowsWanted(ledger, query)), columns())),
      }),
    },
    {
      ...STREAMS.zip,
      async serve({ query }) {
        const texts = await textsIn(languageOf(query.get('language') ?? '') ?? 'en', local);
        const documents = documentsOf(ledger, rowsWanted(ledger, query));
        return {
          headers: { ...download('application/zip', 'receipts', 'zip', query), ...ALONE },
          body: zipOf({ documents, locateBytes, texts }),
        };
      },
    },
    {
      ...STREAMS.image,
      async serve({ params, query }) {
        const document = await numberedDocument(ledger, params['id']);
        const found = await locateBytes(document);
        if (found.kind !== 'bytes') {
          throw new ReceiptdError('BYTES_GONE.image', { name: document.name, ...within(found.why) });
        }
        const how = query.has('download') ? 'attachment' : 'inline';
        return {
          headers: {
            'content-type': factsOf(document.type).mediaType,
            'content-length': String(found.bytes.length),
            'content-disposition': `${how}; filename="${document.id}.${document.type}"; filename*=UTF-8''${encodeName(document)}`,
            ...ALONE,
          },
          body: once(found.bytes),
        };
      },
    },
    {
      ...STREAMS.evidence,
      async serve({ params }) {
        const { id, name } = await numberedDocument(ledger, params['id']);
        const detail = await ledger.detail(id);
        if (detail === null) throw unknownDocument(name);
        const evidence = {
          at: iso(clock.now()),
          document: detailJson(detail),
          journalHead: await ledger.head(),
          verify: 'receiptd ledger verify',
        };
        return {
          headers: {
            'content-type': 'application/json',
            'content-disposition': `attachment; filename="document-${id}.json"`,
          },
          body: once(`${JSON.stringify(evidence, null, 2)}\n`),
        };
      },
    },
  ];
}

const IDS = /^\d{1,15}(?:,\d{1,15})*$/;

/** The rows numbered in `ids`, or all rows that match the filter. @throws ReceiptdError USAGE */
function rowsWanted(ledger: LedgerReports, query: StreamRequest['query']): AsyncIterable<ListRow> {
  const ids = query.get('ids');
  if (ids === null) return ledger.list(filterOf(query));
  if (!IDS.test(ids)) throw new ReceiptdError('USAGE.ids');
  return eachRow(ledger, ids.split(',').map(Number));
}

async function* eachRow(ledger: LedgerReports, ids: readonly number[]): AsyncGenerator<ListRow> {
  for (const id of ids) yield* await rowsOfDocuments(ledger, [id]);
}

/** Each document once: skips rows of duplicates, which refer to the document that has the same image. */
async function* documentsOf(ledger: LedgerReports, rows: AsyncIterable<ListRow>): AsyncGenerator<Document> {
  for await (const { documentId, fileId } of rows) {
    const document = documentId === null || fileId !== null ? null : await ledger.document(documentId);
    if (document !== null) yield document;
  }
}

function filterOf(query: StreamRequest['query']): ReturnType<typeof listFilter> {
  const text = (key: string) => query.get(key) || undefined;
  const json = (key: string): unknown => {
    try {
      return JSON.parse(text(key) ?? 'null') ?? undefined;
    } catch {
      throw new ReceiptdError('USAGE.json', { key });
    }
  };
  const endpoint = endpointOf(text('endpoint') ?? '');
  const parsed = documentFilter.safeParse({
    states: text('states')?.split(','),
    statuses: json('statuses'),
    values: json('values'),
    folder: text('folder'),
    search: text('search'),
    attention: text('attention'),
    since: text('since'),
    until: text('until'),
    ...(endpoint && { endpoint }),
  });
  if (parsed.success) return listFilter(parsed.data);
  const [issue] = parsed.error.issues;
  throw new ReceiptdError('USAGE.query', {
    field: issue?.path.join('.') ?? null,
    detail: issue?.message ?? null,
  });
}

async function formOf(query: StreamRequest['query'], endpoints: CsvForm['endpoints']): Promise<CsvForm> {
  const separator = separatorOf(query.get('separator') ?? ',');
  if (separator === undefined) throw new ReceiptdError('USAGE.streamSeparator');
  const hasAllColumns = query.get('columns') === 'all';
  const language = languageOf(query.get('language') ?? '') ?? (hasAllColumns ? undefined : 'en');
  const texts = language === undefined ? null : await textsIn(language, local);
  return {
    separator,
    byteOrderMark: query.get('bom') === '1',
    texts,
    hasAllColumns,
    days: daysOf(query),
    endpoints,
  };
}

/** Days of the reader. */
const daysOf = (query: StreamRequest['query']): Intl.DateTimeFormat =>
  dayFormat(query.get('timeZone') || undefined);

/** The period of the filter: `2026-10`, a day, or its first and last day; today if it has none. */
function periodName(query: StreamRequest['query'], now: number): string {
  const { since, until } = filterOf(query);
  const days = daysOf(query);
  const last = days.format(until === undefined ? now : until - 1);
  if (since === undefined) return last;
  const first = days.format(since);
  const isMonth = first.endsWith('-01') && until !== undefined && days.format(until).endsWith('-01');
  if (isMonth && first.slice(0, 7) === last.slice(0, 7)) return last.slice(0, 7);
  return first === last ? last : `${first}_${last}`;
}

/** Encodes a file name for `filename*`, as in RFC 8187. */
function encodeName({ name, type }: Document): string {
  return encodeURIComponent(`${name}.${type}`).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16)}`);
}
