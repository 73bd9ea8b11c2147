import type { ListRow } from '../../core/ports/ledgerReports.ts';

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

export const SEPARATORS = [',', ';', '\t'] as const;
export type Separator = (typeof SEPARATORS)[number];

export interface CsvForm {
  readonly separator: Separator;
  /** Excel takes text for UTF-8 by this mark alone. */
  readonly byteOrderMark: boolean;
}

/** RFC 4180. */
const PLAIN: CsvForm = { separator: ',', byteOrderMark: false };

/** With a header line. */
export async function* csvLines(
  rows: AsyncIterable<ListRow>,
  { separator, byteOrderMark }: CsvForm = PLAIN,
): AsyncGenerator<string> {
  yield `${byteOrderMark ? '\uFEFF' : ''}${COLUMNS.join(separator)}\r\n`;
  for await (const row of rows)
    yield `${COLUMNS.map((column) => csvCell(row[column], separator)).join(separator)}\r\n`;
}

/** A file name that begins like a formula must not be run by a spreadsheet: it gets a quote mark in front. */
export function csvCell(value: string | number | boolean | null, separator: Separator = ','): string {
  if (value === null) return '';
  const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return /["\r\n]/.test(text) || text.includes(separator) ? `"${text.replaceAll('"', '""')}"` : text;
}
