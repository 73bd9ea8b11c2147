import { useEffect, useState } from 'preact/hooks';
import type { ListRowJson } from '../../../control/protocol/documents.ts';
import { filterHref, keyOf, type FilterText } from './documentFilter.ts';
import { MOST_ROWS, type Chosen } from './manyActs.ts';

export interface Selection {
  readonly chosen: Chosen | null;
  readonly has: (row: ListRowJson) => boolean;
  readonly toggle: (row: ListRowJson) => void;
  readonly addAll: (rows: readonly ListRowJson[]) => void;
  readonly takeFilter: () => void;
  readonly clear: () => void;
}

type SelectedRows = ReadonlyMap<string, ListRowJson>;

/** The selected rows. Kept while paging through the same list; cleared when the filter changes. */
export function useSelection(filter: FilterText, shown: readonly ListRowJson[]): Selection {
  const [rows, setRows] = useState<SelectedRows>(new Map());
  const [isAll, setAll] = useState(false);
  const key = filterHref(filter);
  const clear = () => {
    setRows(new Map());
    setAll(false);
  };
  useEffect(clear, [key]);
  // Use the current version of each row.
  const now = new Map(shown.map((row) => [keyOf(row), row]));
  const current = [...rows].map(([each, row]) => now.get(each) ?? row);
  return {
    chosen: isAll ? { kind: 'filter', filter } : current.length > 0 ? { kind: 'rows', rows: current } : null,
    has: (row) => isAll || rows.has(keyOf(row)),
    toggle: (row) => {
      // "All but one" can't be expressed, so fall back to the rows shown.
      const next = new Map(isAll ? shown.map((each) => [keyOf(each), each] as const) : rows);
      if (!next.delete(keyOf(row)) && next.size < MOST_ROWS) next.set(keyOf(row), row);
      setAll(false);
      setRows(next);
    },
    addAll: (more) => {
      const next = new Map(rows);
      for (const row of more) if (next.size < MOST_ROWS) next.set(keyOf(row), row);
      setRows(next);
    },
    takeFilter: () => setAll(true),
    clear,
  };
}
