import type { Response } from '../../../control/protocol/protocol.ts';
import { midnight, number } from '../format.ts';
import { useCall, useCountsTick } from '../parts/hooks.ts';
import { Table, type TableColumn } from '../parts/Table.tsx';
import { tallyColumns } from '../parts/Tally.tsx';
import { Wrapped } from '../parts/Wrapped.tsx';
import { ofFolder, tally, type StateTally } from '../tally.ts';
import { t } from '../texts.ts';
import { filterHref, type FilterText } from './documentFilter.ts';
import type { Period } from './periods.ts';

type SeenCounts = Response<'seenCounts'>['counts'];

/** Files first seen in a period. `arrived` is the sum of the tally. */
export interface ArrivalRow {
  /** Null: all of them. */
  readonly folder: string | null;
  readonly arrived: number;
  /** When the newest of them was seen. */
  readonly newest: string | null;
  readonly tally: StateTally;
  readonly filter: FilterText;
}

const REFRESH_MS = 5_000;

export function useSeenCounts({ first, last }: Period) {
  const request = { since: midnight(first) ?? '', until: midnight(last, 1) ?? '' };
  return useCall('seenCounts', request, useCountsTick(REFRESH_MS));
}

export const sumOf = ({ accepted, waiting, person, other }: StateTally): number =>
  accepted + waiting + person + other;

/** Says how many are in each of these categories, without the empty ones. */
export function partsOf(tally: StateTally, words: readonly (keyof StateTally)[]): string {
  const parts = words.filter((word) => tally[word] > 0).map((word) => t.days.parts[word](tally[word]));
  return parts.length === 0 ? '' : `${parts.join(', ')}.`;
}

/** A row for each of these folders and each other folder with files; if there are several, a last row for all of them. */
export function arrivalRows(
  counts: SeenCounts,
  { first, last }: Period,
  folders: readonly string[] = [],
): readonly ArrivalRow[] {
  const others = new Set(counts.map(({ folder }) => folder).filter((folder) => !folders.includes(folder)));
  const all = [...folders, ...[...others].sort()];
  const row = (folder: string | null): ArrivalRow => {
    const its = folder === null ? counts : counts.filter(ofFolder(folder));
    const sums = tally(its, () => true);
    return {
      folder,
      arrived: sumOf(sums),
      newest:
        its
          .map(({ newest }) => newest)
          .toSorted()
          .at(-1) ?? null,
      tally: sums,
      filter: { since: first, until: last, ...(folder !== null && { folder }) },
    };
  };
  return all.length > 1 ? [...all.map(row), row(null)] : all.map(row);
}

interface FilesByFolderProps {
  readonly rows: readonly ArrivalRow[];
  /** Columns after the numbers. */
  readonly more?: readonly TableColumn<ArrivalRow>[];
}

/** Each number links to the documents that it counts. */
export function FilesByFolder({ rows, more = [] }: FilesByFolderProps) {
  const columns: readonly TableColumn<ArrivalRow>[] = [
    {
      head: t.days.folder,
      class: 'name',
      cell: ({ folder }) => (folder === null ? t.days.total : <Wrapped text={folder} />),
    },
    {
      head: t.days.arrived,
      numeric: true,
      cell: ({ arrived, filter }) =>
        arrived === 0 ? <span class="muted">0</span> : <a href={filterHref(filter)}>{number(arrived)}</a>,
    },
    ...tallyColumns<ArrivalRow>(),
    ...more,
  ];
  return (
    <Table
      caption={t.days.table}
      columns={columns}
      rows={rows}
      rowKey={({ folder }) => folder ?? ''}
      rowClass={({ folder }) => `by-folder-row ${folder === null ? 'total' : ''}`}
    />
  );
}
