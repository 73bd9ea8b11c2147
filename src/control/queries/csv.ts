import type { EndpointKey } from '../../core/domain/document.ts';
import { lastPosted } from '../../core/domain/posted.ts';
import { whyWords } from '../../texts/explain.ts';
import { FIELDS, LISTS } from '../../texts/columns.ts';
import type { AllTexts } from '../../texts/texts.ts';
import type { ListRowJson } from '../protocol/documents.ts';
import type { ResultColumn } from './columns.ts';

type Value = string | number | boolean | null;

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
  /** For a person: heads and explanations are in their language. Null: the heads are the names of the fields. */
  readonly texts: AllTexts | null;
  readonly hasAllColumns: boolean;
  /** Days where the person is. */
  readonly days: Intl.DateTimeFormat;
  readonly endpoints: readonly { readonly alias: string; readonly key: EndpointKey }[];
}

/** RFC 4180. Starts with a header line. */
export async function* csvLines(
  rows: AsyncIterable<ListRowJson>,
  form: CsvForm,
  results: readonly ResultColumn[] = [],
): AsyncGenerator<string> {
  const { separator, byteOrderMark, texts, hasAllColumns } = form;
  const words = texts && { ...texts.columns, ...(hasAllColumns ? {} : texts.accountantColumns) };
  const columns = LISTS[hasAllColumns ? 'program' : 'accountant'].flatMap<Column>((key) =>
    key === 'posted' ? results : key,
  );
  const line = (values: readonly Value[]) => `${values.map((value) => csvCell(value)).join(separator)}\r\n`;
  const heads = columns.map((of) => (typeof of === 'object' ? of.name : (words?.[of] ?? of)));
  yield `${byteOrderMark ? '\uFEFF' : ''}${line(heads)}`;
  for await (const row of rows) yield line(columns.map((of) => valueOf(of, row, form)));
}

type Column = Exclude<(typeof LISTS)['accountant' | 'program'][number], 'posted'> | ResultColumn;

function valueOf(of: Column, row: ListRowJson, { hasAllColumns, texts, days, endpoints }: CsvForm): Value {
  if (typeof of === 'object') return lastPosted(row.posted, of.pointer);
  if (of === 'endpoint') return aliasOf(row, endpoints) ?? row.endpointUid;
  if (of === 'message') return messageIn(row, texts);
  const value = row[of];
  if (hasAllColumns) return value;
  // A duplicate was not sent: the service's status is that of the document that has its image.
  if (of === 'status') return row.state === 'duplicate' ? row.state : (value ?? row.state);
  return FIELDS[of] === 'time' && typeof value === 'string' ? days.format(Date.parse(value)) : value;
}

/** As in the configuration; null if it is no longer in it. */
export function aliasOf(
  { endpointUid: uid, baseUrl }: Pick<ListRowJson, 'endpointUid' | 'baseUrl'>,
  endpoints: CsvForm['endpoints'],
): string | null {
  return endpoints.find(({ key }) => key.uid === uid && key.baseUrl === baseUrl)?.alias ?? null;
}

function messageIn({ message, fact }: ListRowJson, texts: AllTexts | null): string | null {
  return message === null || texts === null ? message : whyWords(texts, { message, fact });
}

/**
 * Quotes a cell. A spreadsheet may split lines at any of the usual separators, and quotes in the middle of what it
 * takes for a cell protect nothing: text that looks like a formula gets an apostrophe wherever a cell could begin.
 */
export function csvCell(value: Value): string {
  if (value === null) return '';
  const text = typeof value === 'string' ? value.replace(BEFORE_CELLS, guarded) : String(value);
  return MAY_SPLIT.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const MAY_SPLIT = /[",;|\t\r\n]/;
/** The start, and all characters between two cells, as one match each, so that this takes linear time. */
const BEFORE_CELLS = /^[\s",;|]*|[\s",;|]+/g;
/** What begins a formula, in full width too: spreadsheets fold it. */
const FORMULA = new Set('=+-@＝＋－＠');

function guarded(between: string, at: number, text: string): string {
  const isCell = at === 0 || MAY_SPLIT.test(between);
  return isCell && FORMULA.has(text.charAt(at + between.length)) ? `${between}'` : between;
}
