import { lastPosted } from '../../core/domain/posted.ts';
import type { ListRow } from '../../core/ports/ledgerReports.ts';
import type { ResultColumn } from './columns.ts';

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

/** With a header line; values of results behind the rest. */
export async function* csvLines(
  rows: AsyncIterable<ListRow>,
  { separator, byteOrderMark }: CsvForm = PLAIN,
  results: readonly ResultColumn[] = [],
): AsyncGenerator<string> {
  const head = [...COLUMNS, ...results.map(({ name }) => csvCell(name, separator))];
  yield `${byteOrderMark ? '\uFEFF' : ''}${head.join(separator)}\r\n`;
  for await (const row of rows) {
    const values = [
      ...COLUMNS.map((column) => row[column]),
      ...results.map(({ pointer }) => lastPosted(row.posted, pointer)),
    ];
    yield `${values.map((value) => csvCell(value, separator)).join(separator)}\r\n`;
  }
}

/** A file name that begins like a formula must not be run by a spreadsheet: it gets a quote mark in front. */
export function csvCell(value: string | number | boolean | null, separator: Separator = ','): string {
  if (value === null) return '';
  const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return /["\r\n]/.test(text) || text.includes(separator) ? `"${text.replaceAll('"', '""')}"` : text;
}
