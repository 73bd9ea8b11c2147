import type { ListRow } from '../../ports/ledgerReports.ts';

const COLUMNS = [
  'name',
  'state',
  'status',
  'endpointUid',
  'path',
  'sha256',
  'type',
  'size',
  'attempts',
  'answerLost',
  'reason',
  'message',
  'archivedTo',
  'createdAt',
  'updatedAt',
] as const satisfies readonly (keyof ListRow)[];

/** RFC 4180, with a header line. */
export async function* csvLines(rows: AsyncIterable<ListRow>): AsyncGenerator<string> {
  yield `${COLUMNS.join(',')}\r\n`;
  for await (const row of rows) yield `${COLUMNS.map((column) => csvCell(row[column])).join(',')}\r\n`;
}

/** A file name that begins like a formula must not be run by a spreadsheet: it gets a quote mark in front. */
export function csvCell(value: string | number | boolean | null): string {
  if (value === null) return '';
  const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
