import { escapeUnsafe } from '../core/domain/escape.ts';
import { lastPosted } from '../core/domain/posted.ts';
import { localMinute } from '../core/domain/words.ts';
import type { ListRow } from '../core/ports/ledgerReports.ts';
import type { ResultColumn } from '../control/queries/columns.ts';
import type { CliTexts } from '../texts/cli.ts';
import { FIELDS, LISTS } from '../texts/columns.ts';
import type { AllTexts } from '../texts/texts.ts';
import { wrap } from './screen.ts';
import { shortenEnd, shortenMiddle, shortenStart, tableInParts, type TablePart } from './table.ts';

type Column = (typeof LISTS.terminal)[number];
type Shown = Exclude<Column, 'posted'> | ResultColumn;

export type TableRow = Pick<
  ListRow,
  Extract<Column, keyof ListRow> | 'message' | 'reason' | 'dismissedBy' | 'dismissedAt'
>;

export interface ListTableOptions {
  readonly columns: readonly ResultColumn[];
  /** Of the terminal; null without one. */
  readonly width: number | null;
  readonly dim: (text: string) => string;
  readonly words: CliTexts['list'];
  readonly texts: Pick<AllTexts, 'columns' | 'terminalColumns'>;
}

/** Columns that may become narrower, by what they hold. */
const SHORTENED = new Map<string, typeof shortenEnd>([
  ['name', shortenMiddle],
  ['path', shortenStart],
  ['text', shortenEnd],
]);

/** The table of `list`, part by part. On a terminal each reason is below its row, otherwise in the last column. */
export function listTable(options: ListTableOptions): (rows: readonly TableRow[]) => TablePart {
  const { columns, width, dim, words, texts } = options;
  const heads = { ...texts.columns, ...texts.terminalColumns };
  const shown = LISTS.terminal
    .filter((key) => key !== 'why' || width === null)
    .flatMap<Shown>((key) => (key === 'posted' ? columns : key));
  const head = shown.map((of) => escapeUnsafe((typeof of === 'object' ? of.name : heads[of]).toUpperCase()));
  const shortened = new Map(
    shown.flatMap((of, index) => {
      const shorten = SHORTENED.get(typeof of === 'object' ? 'text' : of === 'why' ? of : FIELDS[of]);
      return shorten ? [[index, shorten]] : [];
    }),
  );
  const partOf = tableInParts(head, width === null ? undefined : { columns: width, shortened });
  const reasonOf = (row: TableRow): string[] => {
    const reason = whyOf(row, words);
    return width === null || reason === '' ? [] : wrap(`  ${reason}`, width).map(dim);
  };
  return (rows) => {
    const { top, lines } = partOf(rows.map((row) => shown.map((of) => cellOf(of, row, words))));
    return { top, lines: rows.flatMap((row, n) => [lines[n] ?? '', ...reasonOf(row)]) };
  };
}

function cellOf(of: Shown, row: TableRow, words: CliTexts['list']): string {
  if (of === 'why') return whyOf(row, words);
  if (typeof of === 'object') return escapeUnsafe(String(lastPosted(row.posted, of.pointer) ?? ''));
  const value = row[of];
  if (FIELDS[of] === 'time' && typeof value === 'string') return localMinute(value);
  return escapeUnsafe(String(value ?? (of === 'name' ? '—' : '')));
}

function whyOf(
  { state, message, reason, dismissedBy, dismissedAt }: TableRow,
  words: CliTexts['list'],
): string {
  if (state === 'accepted' || state === 'duplicate') return '';
  const by = dismissedBy ?? '?';
  const dismissed = dismissedAt === null ? '' : `${words.dismissed({ by, at: dismissedAt })} `;
  return escapeUnsafe(`${dismissed}${message ?? reason ?? ''}`);
}
