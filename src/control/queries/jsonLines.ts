import { escapeUnsafeJson } from '../../core/domain/escape.ts';
import type { ListRow } from '../../core/ports/ledgerReports.ts';
import { columnValues, type ResultColumn } from './columns.ts';

/** A row as `list --json` has it: named values beside all that was posted. */
export function namedRow(row: ListRow, columns: readonly ResultColumn[]): object {
  return columns.length === 0 ? row : { ...row, fields: columnValues(row.posted, columns) };
}

/** One JSON array, row by row: a ledger of a million rows must not be in memory. */
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
