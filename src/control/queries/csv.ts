import { lastPosted } from '../../core/domain/posted.ts';
import { whyWords } from '../../texts/explain.ts';
import type { AllTexts } from '../../texts/texts.ts';
import type { ListRowJson } from '../protocol/documents.ts';
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
] as const satisfies readonly (keyof ListRowJson)[];

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
}

/** RFC 4180. */
const PLAIN: CsvForm = { separator: ',', byteOrderMark: false, texts: null };

/** Starts with a header line; result columns come last. */
export async function* csvLines(
  rows: AsyncIterable<ListRowJson>,
  { separator, byteOrderMark, texts }: CsvForm = PLAIN,
  results: readonly ResultColumn[] = [],
): AsyncGenerator<string> {
  const heads = texts === null ? COLUMNS : COLUMNS.map((column) => texts.csvHeads[column]);
  const head = [...heads, ...results.map(({ name }) => csvCell(name))];
  yield `${byteOrderMark ? '\uFEFF' : ''}${head.join(separator)}\r\n`;
  for await (const row of rows) {
    const values = [
      ...COLUMNS.map((column) => (column === 'message' ? messageIn(row, texts) : row[column])),
      ...results.map(({ pointer }) => lastPosted(row.posted, pointer)),
    ];
    yield `${values.map((value) => csvCell(value)).join(separator)}\r\n`;
  }
}

function messageIn({ message, fact }: ListRowJson, texts: AllTexts | null): string | null {
  return message === null || texts === null ? message : whyWords(texts, { message, fact });
}

/**
 * Quotes a cell. A spreadsheet may split lines at any of the usual separators, and quotes in the middle of what it
 * takes for a cell protect nothing: text that looks like a formula gets an apostrophe wherever a cell could begin.
 */
export function csvCell(value: string | number | boolean | null): string {
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
