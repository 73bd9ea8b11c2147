import { escapeUnsafe } from '../core/domain/escape.ts';
import { lastPosted } from '../core/domain/posted.ts';
import { localMinute } from '../core/domain/words.ts';
import type { ListRow } from '../core/ports/ledgerReports.ts';
import type { ResultColumn } from '../control/queries/columns.ts';
import type { CliTexts } from '../texts/cli.ts';
import { wrap } from './screen.ts';
import { shortenEnd, shortenMiddle, shortenStart, tableInParts, type TablePart } from './table.ts';

export type TableRow = Pick<
  ListRow,
  | 'name'
  | 'state'
  | 'status'
  | 'attempts'
  | 'path'
  | 'posted'
  | 'message'
  | 'reason'
  | 'dismissedBy'
  | 'dismissedAt'
  | 'createdAt'
>;

export interface ListTableOptions {
  readonly columns: readonly ResultColumn[];
  /** Of the terminal; null without one. */
  readonly width: number | null;
  readonly dim: (text: string) => string;
  readonly words: CliTexts['list'];
}

/** The table of `list`, part by part. On a terminal each reason is below its row, otherwise in the last column. */
export function listTable(options: ListTableOptions): (rows: readonly TableRow[]) => TablePart {
  const { columns, width, dim, words } = options;
  const { name, state, status, attempts, seen, file, why } = words.columns;
  const named = columns.map((column) => escapeUnsafe(column.name.toUpperCase()));
  const head = [name, state, status, attempts, ...named, seen, file];
  const cellsOf = (row: TableRow): string[] => [
    escapeUnsafe(row.name ?? '—'),
    row.state,
    escapeUnsafe(row.status ?? ''),
    String(row.attempts),
    ...columns.map(({ pointer }) => escapeUnsafe(String(lastPosted(row.posted, pointer) ?? ''))),
    localMinute(row.createdAt),
    escapeUnsafe(row.path),
  ];
  if (width === null) {
    const partOf = tableInParts([...head, why]);
    return (rows) => partOf(rows.map((row) => [...cellsOf(row), whyOf(row, words)]));
  }
  const shortened = new Map([
    [0, shortenMiddle],
    // The service's status and the values that it posts may be of any length.
    ...[2, ...columns.map((_, index) => index + 4)].map((index) => [index, shortenEnd] as const),
    [head.length - 1, shortenStart],
  ]);
  const partOf = tableInParts(head, { columns: width, shortened });
  const reasonOf = (row: TableRow): string[] => {
    const reason = whyOf(row, words);
    return reason === '' ? [] : wrap(`  ${reason}`, width).map(dim);
  };
  return (rows) => {
    const { top, lines } = partOf(rows.map(cellsOf));
    return { top, lines: rows.flatMap((row, n) => [lines[n] ?? '', ...reasonOf(row)]) };
  };
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
