import { escapeUnsafeJson } from '../../core/domain/escape.ts';
import type { ListRow } from '../../core/ports/ledgerReports.ts';
import { columnValues, type ResultColumn } from './columns.ts';

/** A row as printed by `list --json`: all posted values, plus the named ones under `fields`. */
export function namedRow(row: ListRow, columns: readonly ResultColumn[]): object {
  return columns.length === 0 ? row : { ...row, fields: columnValues(row.posted, columns) };
}

/** One JSON array, streamed row by row: a ledger may have a million rows, too many to hold in memory. */
export async function* jsonLines(
  rows: AsyncIterable<ListRow>,
  columns: readonly ResultColumn[] = [],
): AsyncGenerator<string> {
  let first = true;
  for await (const row of rows) {
    yield `${first ? '[' : ','}\n${escapeUnsafeJson(JSON.stringify(namedRow(row, columns)))}`;
    first = false;
  }
  yield first ? '[]\n' : '\n]\n';
}
