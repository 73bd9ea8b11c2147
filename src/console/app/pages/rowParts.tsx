import type { ListRowJson } from '../../../control/protocol/documents.ts';
import { FIELDS, type Field } from '../../../texts/columns.ts';
import { bytes, instant, moment } from '../format.ts';
import { Why } from '../parts/Explanations.tsx';
import type { TableColumn } from '../parts/Table.tsx';
import { Wrapped } from '../parts/Wrapped.tsx';
import { t } from '../texts.ts';
import { documentHref, nameOf, type FilterText } from './documentFilter.ts';
import type { Selection } from './useSelection.ts';

export const heads = { ...t.columns, ...t.consoleColumns };

/** A field as people see it, by what it holds. */
export function fieldColumn(key: Field): TableColumn<ListRowJson> {
  const kind = FIELDS[key];
  const cell = ({ [key]: value }: ListRowJson) => {
    if (kind === 'bytes') return bytes(Number(value));
    if (kind !== 'time' || typeof value !== 'string')
      return value === null ? <span class="muted">–</span> : String(value);
    return (
      <time dateTime={value} title={instant(value)}>
        {moment(value)}
      </time>
    );
  };
  return { head: heads[key], numeric: ['bytes', 'count', 'time'].includes(kind), cell };
}

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

/** Why a row is in its state, if there is more to say than the state. */
export function Reasons({ row }: { readonly row: ListRowJson }) {
  return (
    <>
      {row.message !== null && (
        <div class="muted small why">
          <Why {...row} isShort />
        </div>
      )}
      {row.answerLost && row.state !== 'accepted' && <p class="muted small">{t.documents.answerLost}</p>}
    </>
  );
}
