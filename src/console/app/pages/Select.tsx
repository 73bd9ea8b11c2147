import type { ListRowJson } from '../../../control/protocol/documents.ts';
import { t } from '../texts.ts';
import { nameOf } from './documentFilter.ts';
import type { Selection } from './useSelection.ts';

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
