import { ReceiptdError } from '../../core/domain/errors.ts';
import { unescaped } from '../../core/domain/escape.ts';
import { fold } from '../../core/domain/search.ts';
import type { Document } from '../../core/domain/document.ts';
import type { LedgerReports, ListRow } from '../../core/ports/ledgerReports.ts';
import { unknownDocument } from './unknownDocument.ts';
import { within } from '../../core/domain/why.ts';

/** Cap on rows containing the text that are compared: a text that matches more is no useful name. */
const LOOKED_AT = 2_000;
const PAGE = { order: 'newest', limit: 500, withinMs: 2_000 } as const;
const SHOWN = 8;
/** Shortest hash prefix that is accepted; shorter ones match by chance. */
const HASH_DIGITS = 6;

/** What a table prints in place of the middle of a long name. */
const LEFT_OUT = '…';

/** Possible meanings of a text, likeliest first; the first one that matches a row decides. */
const MEANINGS: readonly ((row: ListRow, meant: string) => boolean)[] = [
  ({ name }, meant) => name !== null && fold(name) === meant,
  ({ path }, meant) => fold(path) === meant,
  ({ path }, meant) => /[/\\]/.test(fold(path).at(-meant.length - 1) ?? '') && fold(path).endsWith(meant),
  ({ name, sha256 }, meant) =>
    (name !== null && fold(name).startsWith(meant)) ||
    (meant.length >= HASH_DIGITS && sha256?.startsWith(meant) === true),
];

/**
 * Resolves what a person typed to the documents of one name, at most one per endpoint. Matches the name in any case, a file
 * path or its end, the beginning of name or hash, or a name that a table cut in its middle.
 * @throws ReceiptdError DOCUMENT_UNKNOWN, DOCUMENT_AMBIGUOUS
 */
export async function namedDocuments(
  ledger: Pick<LedgerReports, 'find' | 'page'>,
  written: string,
): Promise<readonly [Document, ...Document[]]> {
  const [exact, ...others] = await ledger.find(written);
  if (exact) return [exact, ...others];
  const text = written.replace(/^\.\//, '');
  const meant = fold(text);
  const [start = '', end, ...more] = text.split(LEFT_OUT);
  const isCut = end !== undefined && more.length === 0;
  const sought = isCut ? rarer(start, end) : text;
  const rows = sought.trim() === '' ? [] : await rowsWith(ledger, sought);
  // Others may match, too.
  if (isCut && rows.length >= LOOKED_AT) throw unknownDocument(written);
  for (const means of isCut ? [cutTo(fold(start), fold(end))] : MEANINGS) {
    const found = rows.filter((row) => means(row, meant));
    const names = [...new Set(found.flatMap(({ name }) => name ?? []))];
    if (names.length > 1) throw ambiguous(written, names);
    const [document, ...rest] = names[0] === undefined ? [] : await ledger.find(names[0]);
    if (document) return [document, ...rest];
    if (found[0]) throw noDocument(written, found[0]);
  }
  // As `list` prints it.
  const meantSo = unescaped(written);
  if (meantSo !== written) return namedDocuments(ledger, meantSo);
  throw unknownDocument(written);
}

/** A name or path of which a table showed the beginning and the end. */
function cutTo(start: string, end: string): (row: ListRow) => boolean {
  const isMeant = (text: string): boolean => text.startsWith(start) && text.slice(start.length).endsWith(end);
  return ({ name, path }) => (name !== null && isMeant(fold(name))) || isMeant(fold(path));
}

/** What fewer rows have: names end with digits of a hash. */
function rarer(start: string, end: string): string {
  return end.length >= HASH_DIGITS || end.length >= start.length ? end : start;
}

async function rowsWith(ledger: Pick<LedgerReports, 'page'>, search: string): Promise<ListRow[]> {
  const rows: ListRow[] = [];
  let cursor: string | null = null;
  do {
    const page = await ledger.page({ search }, cursor === null ? PAGE : { ...PAGE, cursor });
    rows.push(...page.rows);
    cursor = page.next;
  } while (cursor !== null && rows.length < LOOKED_AT);
  return rows;
}

function ambiguous(written: string, names: readonly string[]): ReceiptdError {
  return new ReceiptdError('DOCUMENT_AMBIGUOUS', {
    written,
    names: names.slice(0, SHOWN),
    more: Math.max(0, names.length - SHOWN),
  });
}

/** The text matches a file that was seen but has no document. */
function noDocument(written: string, { path, state, message }: ListRow): ReceiptdError {
  return new ReceiptdError('DOCUMENT_UNKNOWN.fileOnly', {
    written,
    path,
    state,
    ...within(message ?? ''),
  });
}
