import type { ListRowJson } from '../../../control/protocol/documents.ts';
import { moment } from '../format.ts';
import { Dismissal } from '../parts/Dismissal.tsx';
import { StateBadge } from '../parts/State.tsx';
import { Thumb } from '../parts/Thumb.tsx';
import { t } from '../texts.ts';
import { NameLink, Reasons, Select } from './rowParts.tsx';
import type { Selection } from './useSelection.ts';
import { keyOf, type FilterText } from './documentFilter.ts';

interface GridProps {
  readonly rows: readonly ListRowJson[];
  readonly filter: FilterText;
  readonly selection: Selection;
}

/** The list as thumbnails, for people who recognize receipts by sight. */
export function DocumentGrid({ rows, filter, selection }: GridProps) {
  return (
    <ul class="cards" aria-label={t.documents.title}>
      {rows.map((row) => (
        <li key={keyOf(row)} class="card">
          <Thumb id={row.documentId} sha256={row.sha256} type={row.type} class="large" isLate />
          <Select row={row} selection={selection} />
          <p class="card-name">
            <NameLink row={row} filter={filter} />
          </p>
          <p class="card-foot">
            <StateBadge state={row.state} />
            <time class="muted small" dateTime={row.createdAt}>
              {moment(row.createdAt)}
            </time>
          </p>
          <Reasons row={row} />
          <Dismissal of={row} target={row.name ?? row.path} />
        </li>
      ))}
    </ul>
  );
}
