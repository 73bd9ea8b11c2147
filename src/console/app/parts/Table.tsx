import type { ComponentChildren } from 'preact';

export interface TableColumn<R> {
  readonly head: string;
  readonly cell: (row: R) => ComponentChildren;
  readonly numeric?: boolean;
  readonly class?: string;
}

interface TableProps<R> {
  readonly caption: string;
  readonly columns: readonly TableColumn<R>[];
  readonly rows: readonly R[];
  readonly rowKey: (row: R) => string;
  /** Index of the column that names the row; default 0. */
  readonly rowHead?: number;
  readonly rowClass?: (row: R) => string;
}

/** On a narrow screen, each row is a card. Roles are explicit, because browsers drop them when `display` changes. */
export function Table<R>({ caption, columns, rows, rowKey, rowHead = 0, rowClass }: TableProps<R>) {
  const looks = (column: TableColumn<R>) => `${column.class ?? ''}${column.numeric ? ' num' : ''}`.trim();
  return (
    <div class="table-box">
      <table role="table">
        <caption class="hidden">{caption}</caption>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map((column) => (
              <th key={column.head} role="columnheader" scope="col" class={looks(column)}>
                {column.head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <tr key={rowKey(row)} role="row" class={rowClass?.(row) ?? ''}>
              {columns.map((column, index) =>
                index === rowHead ? (
                  <th key={column.head} role="rowheader" scope="row" class={looks(column)}>
                    {column.cell(row)}
                  </th>
                ) : (
                  <td key={column.head} role="cell" class={looks(column)} data-label={column.head}>
                    {column.cell(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
