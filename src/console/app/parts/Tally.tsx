import { compact, number } from '../format.ts';
import { href } from '../router.ts';
import { WAITING_STATES, type StateTally } from '../tally.ts';
import { t } from '../texts.ts';
import type { TableColumn } from './Table.tsx';

interface CountedRow {
  readonly tally: StateTally;
  /** Filter by `folder` or `endpoint` that lists the counted documents. */
  readonly filter: Readonly<Record<string, string>>;
}

/** Additional filter for each category. */
export const LISTS = {
  accepted: { state: 'accepted' },
  waiting: { state: WAITING_STATES.join(',') },
  person: { attention: 'needed' },
  other: {
    attention: 'none',
    state: 'duplicate,split,rejected,failed,unconfirmed,lost,incomplete,unreadable,skipped',
  },
} satisfies Readonly<Record<keyof StateTally, Readonly<Record<string, string>>>>;

/** Four columns of counts, each linked to the documents it counts. */
export function tallyColumns<R extends CountedRow>(): TableColumn<R>[] {
  return (['accepted', 'waiting', 'person', 'other'] as const).map((word) => ({
    head: t.tally[word],
    numeric: true,
    cell: ({ tally, filter }) => {
      const value = tally[word];
      if (value === 0) return <span class="muted">0</span>;
      const to = href(['documents'], { ...filter, ...LISTS[word] });
      return (
        <a href={to} class={word === 'person' ? 'needs' : ''} title={number(value)}>
          {compact(value)}
        </a>
      );
    },
  }));
}
