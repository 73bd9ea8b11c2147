import { escapeUnsafeJson } from '../../core/domain/escape.ts';
import type { ListRowJson } from '../protocol/documents.ts';
import { columnValues, type ResultColumn } from './columns.ts';

/** Rows as `list --json` prints them: all posted values, plus the named ones under `fields`. */
export async function* namedRows(
  rows: AsyncIterable<ListRowJson>,
  columns: readonly ResultColumn[],
): AsyncGenerator<object> {
  for await (const row of rows)
    yield columns.length === 0 ? row : { ...row, fields: columnValues(row.posted, columns) };
}

/** One JSON array in chunks, row by row: a ledger may have a million rows, too many to hold in memory. */
export async function* jsonArray(rows: AsyncIterable<unknown>): AsyncGenerator<string> {
  let first = true;
  for await (const row of rows) {
    yield `${first ? '[' : ','}\n${escapeUnsafeJson(JSON.stringify(row))}`;
    first = false;
  }
  yield first ? '[]\n' : '\n]\n';
}
