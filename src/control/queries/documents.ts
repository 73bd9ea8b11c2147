import { needsPerson } from '../../core/domain/needsPerson.ts';
import { iso } from '../../core/domain/words.ts';
import { readAnswer } from '../../core/domain/keptAnswer.ts';
import { endpointId, type Document } from '../../core/domain/document.ts';
import type {
  DocumentDetail,
  ListFilter,
  ListOrder,
  ListRow,
  LedgerReports,
  StateCount,
} from '../../core/ports/ledgerReports.ts';
import type { DocumentDetailJson, DocumentFilter, ListRowJson } from '../protocol/documents.ts';
import type { Request, Response } from '../protocol/protocol.ts';
import { namedDocuments } from './namedDocuments.ts';
import { unknownDocument } from './unknownDocument.ts';
import { shown } from '../../core/domain/why.ts';

const PAGE_ROWS = 50;
/** Time budget per part of a search through a long ledger, in milliseconds; the caller continues from `next`. */
export const PAGE_MS = 500;

export function listFilter({
  states,
  endpoint,
  folder,
  search,
  since,
  until,
  attention,
  statuses,
  values,
}: DocumentFilter): Omit<ListFilter, 'limit'> {
  return {
    ...(states && { states }),
    ...(endpoint && { endpoint }),
    ...(folder !== undefined && { folder }),
    ...(search !== undefined && search !== '' && { search }),
    ...(since !== undefined && { since: Date.parse(since) }),
    ...(until !== undefined && { until: Date.parse(until) }),
    ...(attention && { attention }),
    ...(statuses && { statuses }),
    ...(values && values.length > 0 && { values }),
  };
}

/** Rows in the words of answers. */
export async function* wordedRows(rows: AsyncIterable<ListRow>): AsyncGenerator<ListRowJson> {
  for await (const row of rows) yield rowJson(row);
}

export async function documentsPage(
  ledger: Pick<LedgerReports, 'page'>,
  { order = 'newest', cursor, limit = PAGE_ROWS, ...filter }: Request<'documents'>,
  signal?: AbortSignal,
): Promise<Response<'documents'>> {
  const wanted = { order, limit, withinMs: PAGE_MS, signal, ...(cursor !== undefined && { cursor }) };
  const { rows, next, lookedUntil } = await ledger.page(listFilter(filter), wanted);
  return { rows: rows.map(rowJson), next, lookedUntil: lookedUntil === null ? null : iso(lookedUntil) };
}

/** In the words of answers. */
export const rowJson = (row: ListRow): ListRowJson => ({
  ...row,
  ...shown(row.message),
  posted: [...row.posted],
});

/** The documents before and after one in a filtered list, for paging through it one by one. */
export async function neighboursOf(
  ledger: Pick<LedgerReports, 'page' | 'document'>,
  { id, order = 'newest', ...filter }: Request<'neighbours'>,
): Promise<Response<'neighbours'>> {
  const behind = await ledger.document(id);
  if (behind === null) throw unknownDocument(`number ${id}`);
  const first = async (wanted: ListOrder) => {
    const page = { order: wanted, behind, limit: 1, withinMs: PAGE_MS };
    return (await ledger.page(listFilter(filter), page)).rows[0]?.documentId ?? null;
  };
  const [older, newer] = [await first('newest'), await first('oldest')];
  return order === 'newest' ? { previous: newer, next: older } : { previous: older, next: newer };
}

/** Uses the ledger's own counts where they can answer the filter; else counts rows for up to PAGE_MS. */
export async function countDocuments(
  ledger: Pick<LedgerReports, 'tally' | 'counts'>,
  { cursor, ...filter }: Request<'countDocuments'>,
  signal?: AbortSignal,
): Promise<Response<'countDocuments'>> {
  const wanted = listFilter(filter);
  const { states, endpoint, folder, attention, ...beyond } = wanted;
  if (Object.keys(beyond).length === 0 && attention !== 'dismissed') {
    const isMeant = (each: StateCount): boolean =>
      (states === undefined || states.includes(each.state)) &&
      (folder === undefined || each.folder === folder) &&
      (endpoint === undefined ||
        (each.endpoint !== null && endpointId(each.endpoint) === endpointId(endpoint))) &&
      (attention === undefined || (each.needsPerson === true) === (attention === 'needed'));
    const meant = (await ledger.counts()).filter(isMeant);
    return { count: meant.reduce((sum, { count }) => sum + count, 0), next: null };
  }
  const { rows, next } = await ledger.tally(wanted, {
    withinMs: PAGE_MS,
    signal,
    ...(cursor !== undefined && { cursor }),
  });
  return { count: rows.reduce((sum, { count }) => sum + count, 0), next };
}

export async function documentDetails(
  ledger: Pick<LedgerReports, 'find' | 'page' | 'endpoints' | 'bySha256' | 'detail'>,
  { id, name, sha256 }: Request<'document'>,
): Promise<Response<'document'>> {
  const images = sha256 === undefined ? [] : await withImage(ledger, sha256);
  // Of an image without a document, it is said what became of its file.
  const named = async () => (images.length > 0 ? images : namedDocuments(ledger, name ?? sha256 ?? ''));
  const ids = id === undefined ? (await named()).map((each) => each.id) : [id];
  const details = (await Promise.all(ids.map((each) => ledger.detail(each)))).filter((each) => each !== null);
  if (details.length === 0) throw unknownDocument(name ?? `number ${id}`);
  return { documents: details.map(detailJson) };
}

async function withImage(
  ledger: Pick<LedgerReports, 'endpoints' | 'bySha256'>,
  sha256: string,
): Promise<Document[]> {
  const endpoints = await ledger.endpoints();
  const found = await Promise.all(endpoints.map(({ endpoint }) => ledger.bySha256(endpoint, sha256)));
  return found.filter((document) => document !== null);
}

export function detailJson({
  document,
  response,
  dismissed,
  attempts,
  files,
  results,
}: DocumentDetail): DocumentDetailJson {
  const {
    endpoint,
    createdAt,
    updatedAt,
    notBefore,
    serviceStatus,
    attempts: attemptCount,
    ...rest
  } = document;
  const answer = response === null ? null : readAnswer(response);
  return {
    ...rest,
    ...shown(document.message),
    attemptCount,
    endpointUid: endpoint.uid,
    baseUrl: endpoint.baseUrl,
    status: serviceStatus,
    createdAt: iso(createdAt),
    updatedAt: iso(updatedAt),
    notBefore: notBefore === 0 ? null : iso(notBefore),
    response: answer?.text ?? null,
    responseCut: answer?.cut ?? null,
    needsPerson: needsPerson({ ...document, isGone: false, isDismissed: dismissed !== null }),
    dismissedBy: dismissed?.by ?? null,
    dismissedAt: dismissed === null ? null : iso(dismissed.at),
    attempts: attempts.map((each) => ({
      ...each,
      ...shown(each.message),
      startedAt: iso(each.startedAt),
      finishedAt: each.finishedAt === null ? null : iso(each.finishedAt),
    })),
    results: results.map(({ id, receivedAt, status, sha256, size: bytes }) => ({
      id,
      receivedAt: iso(receivedAt),
      status,
      sha256,
      size: bytes,
    })),
    files: files.map((each) => ({
      ...each,
      ...remarkOf(each.remark),
      seenAt: iso(each.seenAt),
      goneAt: each.goneAt === null ? null : iso(each.goneAt),
    })),
  };
}

function remarkOf(remark: string | null): Pick<DocumentDetailJson['files'][number], 'remark' | 'remarkFact'> {
  const { message, fact } = shown(remark);
  return { remark: message, remarkFact: fact };
}
