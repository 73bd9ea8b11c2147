import type { ListRowJson } from '../../../control/protocol/documents.ts';
import { Wrapped } from '../parts/Wrapped.tsx';
import { t } from '../texts.ts';
import { documentHref, nameOf, type FilterText } from './documentFilter.ts';
import type { Selection } from './useSelection.ts';

/** Selects a row of the list. */
export function Select({ row, selection }: { readonly row: ListRowJson; readonly selection: Selection }) {
  return (
    <input
      type="checkbox"
      class="select"
      aria-label={t.of(t.many.select, nameOf(row))}
      checked={selection.has(row)}
      onChange={() => selection.toggle(row)}
    />
  );
}

/** The name, which opens the document if there is one. */
export function NameLink({ row, filter }: { readonly row: ListRowJson; readonly filter: FilterText }) {
  const name = <Wrapped text={nameOf(row)} />;
  if (row.documentId === null) return name;
  return (
    <a class="open" href={documentHref(row.documentId, filter)}>
      {name}
    </a>
  );
}
