import { escapeUnsafe } from '../core/domain/escape.ts';
import { lastPosted } from '../core/domain/posted.ts';
import { local } from '../core/domain/words.ts';
import type { ListRow } from '../core/ports/ledgerReports.ts';
import type { ResultColumn } from '../control/queries/columns.ts';
import { wrap } from './screen.ts';
import { shortenMiddle, shortenStart, tableInParts, type TablePart } from './table.ts';

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
>;

export interface ListTableOptions {
  readonly columns: readonly ResultColumn[];
  /** Of the terminal; null without one. */
  readonly width: number | null;
  readonly dim: (text: string) => string;
}

/** The table of `list`, part by part. On a terminal each reason is below its row, otherwise in the last column. */
export function listTable(options: ListTableOptions): (rows: readonly TableRow[]) => TablePart {
  const { columns, width, dim } = options;
  const named = columns.map(({ name }) => escapeUnsafe(name.toUpperCase()));
  const head = ['NAME', 'STATE', 'STATUS', 'TRIES', ...named, 'FILE'];
  const cellsOf = ({ name, state, status, attempts, path, posted }: TableRow): string[] => [
    escapeUnsafe(name ?? '—'),
    state,
    escapeUnsafe(status ?? ''),
    String(attempts),
    ...columns.map(({ pointer }) => escapeUnsafe(String(lastPosted(posted, pointer) ?? ''))),
    escapeUnsafe(path),
  ];
  if (width === null) {
    const partOf = tableInParts([...head, 'WHY']);
    return (rows) => partOf(rows.map((row) => [...cellsOf(row), whyOf(row)]));
  }
  const shortened = new Map([
    [0, shortenMiddle],
    [head.length - 1, shortenStart],
  ]);
  const partOf = tableInParts(head, { columns: width, shortened });
  const reasonOf = (row: TableRow): string[] => {
    const why = whyOf(row);
    return why === '' ? [] : wrap(`  ${why}`, width).map(dim);
  };
  return (rows) => {
    const { top, lines } = partOf(rows.map(cellsOf));
    return { top, lines: rows.flatMap((row, n) => [lines[n] ?? '', ...reasonOf(row)]) };
  };
}

function whyOf({ state, message, reason, dismissedBy, dismissedAt }: TableRow): string {
  if (state === 'accepted' || state === 'duplicate') return '';
  const dismissed =
    dismissedAt === null ? '' : `Dismissed by ${dismissedBy ?? '?'} on ${local(dismissedAt)}. `;
  return escapeUnsafe(`${dismissed}${message ?? reason ?? ''}`);
}
