import { ReceiptdError } from '../../core/domain/errors.ts';
import { iso } from '../../core/domain/words.ts';
import type { ResultReports, ResultRow } from '../../core/ports/results.ts';
import type { Request, Response } from '../protocol/protocol.ts';
import type { ResultJson } from '../protocol/results.ts';

const PAGE_ROWS = 50;

export async function resultsPage(
  ledger: Pick<ResultReports, 'results' | 'countResults'>,
  { unmatched = false, documentId, before, limit = PAGE_ROWS }: Request<'results'>,
): Promise<Response<'results'>> {
  const of = documentId ?? (unmatched ? 'unmatched' : 'all');
  // One extra row tells whether there is another page.
  const rows = await ledger.results({ of, order: 'newest', after: before ?? null, limit: limit + 1 });
  const shown = rows.slice(0, limit);
  return {
    results: shown.map(resultJson),
    next: rows.length > limit ? (shown.at(-1)?.id ?? null) : null,
    total: of === 'all' || of === 'unmatched' ? await ledger.countResults(of) : null,
  };
}

/** @throws ReceiptdError RESULT_UNKNOWN */
export async function oneResult(
  ledger: Pick<ResultReports, 'result'>,
  { id }: Request<'result'>,
): Promise<Response<'result'>> {
  const found = await ledger.result(id);
  if (found === null) {
    throw new ReceiptdError('RESULT_UNKNOWN', { id });
  }
  return { result: { ...resultJson(found), payload: found.payload } };
}

function resultJson(row: ResultRow): ResultJson {
  const { id, receivedAt, document, status, sha256, size, encoding, givenName, givenUid } = row;
  return { id, receivedAt: iso(receivedAt), document, status, sha256, size, encoding, givenName, givenUid };
}
