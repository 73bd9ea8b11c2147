import { basename, resolve } from 'node:path';
import { ReceiptdError } from '../../core/domain/errors.ts';
import { unescaped } from '../../core/domain/escape.ts';
import type { Cases } from '../../core/ports/ledger.ts';
import type { LedgerReports, ListRow } from '../../core/ports/ledgerReports.ts';
import type { Request } from '../protocol/protocol.ts';
import { listFilter } from '../queries/documents.ts';

/** Cases per transaction. */
const BATCH = 500;

type Reports = Pick<LedgerReports, 'list' | 'find'>;

/**
 * Yields the cases to dismiss, or with `undo` the dismissed ones, in batches: a ledger may hold hundreds of thousands.
 * @throws ReceiptdError USAGE, DOCUMENT_UNKNOWN, DOCUMENT_STATE; always before the first batch
 */
export async function* casesOf(
  reports: Reports,
  { targets = [], all = false, filter = {}, undo = false }: Request<'dismiss'>,
): AsyncGenerator<Cases> {
  const attention = undo ? 'dismissed' : 'needed';
  if (!all && targets.length === 0) throw new ReceiptdError('USAGE.documentOrFileOrAll');
  const rows = reports.list({ ...listFilter(filter), attention });
  if (all) yield* batches(rows);
  else yield* batches(await named(reports, rows, targets, undo));
}

async function named(
  reports: Reports,
  rows: AsyncIterable<ListRow>,
  targets: readonly string[],
  undo: boolean,
): Promise<ListRow[]> {
  const meant = new Map(targets.map((target) => [target, [] as ListRow[]]));
  for await (const row of rows) {
    for (const [target, all] of meant)
      if (spellings(target).some((each) => isMeant(row, each))) all.push(row);
  }
  const found: ListRow[] = [];
  for (const [target, all] of meant) {
    const as = spellings(target).find((each) => all.some((row) => isMeant(row, each))) ?? target;
    const alike = all.filter((row) => isMeant(row, as));
    const exact = alike.filter(({ name, path }) => name === as || path === resolve(as));
    if (exact.length === 0 && alike.length > 1) throw severalNamed(target, alike);
    if (alike.length === 0) throw await nothingNamed(reports, target, undo);
    found.push(...(exact.length > 0 ? exact : alike));
  }
  return [...new Set(found)];
}

/** As it was typed, then as `list` prints it. */
const spellings = (target: string): string[] => [...new Set([target, unescaped(target)])];

function isMeant({ name, path }: ListRow, target: string): boolean {
  return name === target || path === resolve(target) || basename(path) === target;
}

function severalNamed(target: string, rows: readonly ListRow[]): ReceiptdError {
  const paths = rows.slice(0, 3).map(({ path }) => path);
  return new ReceiptdError('USAGE.severalFiles', { target, paths, more: rows.length - paths.length });
}

async function nothingNamed(reports: Reports, target: string, undo: boolean): Promise<ReceiptdError> {
  const [document] = await reports.find(target);
  if (document === undefined)
    return new ReceiptdError(undo ? 'DOCUMENT_UNKNOWN.notDismissed' : 'DOCUMENT_UNKNOWN.needsNobody', {
      target,
    });
  return undo
    ? new ReceiptdError('DOCUMENT_STATE.notDismissed', { target })
    : new ReceiptdError('DOCUMENT_STATE.needsNobody', { target, state: document.state });
}

async function* batches(rows: AsyncIterable<ListRow> | Iterable<ListRow>): AsyncGenerator<Cases> {
  let cases = { documents: [] as number[], files: [] as number[] };
  for await (const { fileId, documentId } of rows) {
    if (fileId !== null) cases.files.push(fileId);
    else if (documentId !== null) cases.documents.push(documentId);
    if (cases.documents.length + cases.files.length < BATCH) continue;
    yield cases;
    cases = { documents: [], files: [] };
  }
  if (cases.documents.length + cases.files.length > 0) yield cases;
}
