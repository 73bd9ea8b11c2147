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

const SEPARATORS = [',', ';', '\t'] as const;
export type Separator = (typeof SEPARATORS)[number];

/** The separator that a person or a program asked for; undefined for any other text. */
export function separatorOf(text: string): Separator | undefined {
  return SEPARATORS.find((each) => each === (text === 'tab' ? '\t' : text));
}

export interface CsvForm {
  readonly separator: Separator;
  /** Excel recognizes UTF-8 only by this mark. */
  readonly byteOrderMark: boolean;
}

/** RFC 4180. */
const PLAIN: CsvForm = { separator: ',', byteOrderMark: false };

/** Starts with a header line; result columns come last. */
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

/** Quotes a cell. Text that starts like a formula gets a leading apostrophe, so that no spreadsheet evaluates a file name. */
export function csvCell(value: string | number | boolean | null, separator: Separator = ','): string {
  if (value === null) return '';
  const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return /["\r\n]/.test(text) || text.includes(separator) ? `"${text.replaceAll('"', '""')}"` : text;
}
