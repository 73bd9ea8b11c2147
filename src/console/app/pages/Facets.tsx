import { number, period } from '../format.ts';
import { t } from '../texts.ts';
import { filterHref, type FilterKey, type FilterText } from './documentFilter.ts';
import { periodOf } from './periods.ts';
import type { ShownFacets } from './useFacets.ts';

/** Cap on the choices of one kind; a longer list would not help anyone. */
const MOST = 40;

interface Choice {
  readonly text: string;
  readonly count: number;
  /** Filter parameters to set; an empty text removes one. */
  readonly sets: Partial<Record<FilterKey, string>>;
  readonly isChosen: boolean;
}

/** Counts for each kind of value in the list. Each links to the list filtered by it; a chosen one removes that filter. */
export function Facets({ filter, facets }: { readonly filter: FilterText; readonly facets: ShownFacets }) {
  const one = (key: 'state' | 'folder' | 'status', value: string, text: string, count: number): Choice => ({
    text,
    count,
    sets: { [key]: filter[key] === value ? '' : value },
    isChosen: filter[key] === value,
  });
  const groups: readonly (readonly [string, readonly Choice[]])[] = [
    [t.columns.state, facets.states.map(({ value, count }) => one('state', value, t.states[value], count))],
    [t.filters.folder, facets.folders.map(({ value, count }) => one('folder', value, value, count))],
    [t.columns.status, facets.statuses.map(({ value, count }) => one('status', value, value, count))],
  ];
  const times = facets.periods
    .toSorted((a, b) => b.value.localeCompare(a.value))
    .map(({ value, count }): Choice => {
      const isMonth = value.length === '2026-11'.length;
      const { first: since, last: until } = isMonth
        ? periodOf(`${value}-01`, 'month')
        : periodOf(value, 'day');
      const isChosen = filter.since === since && filter.until === until;
      return {
        text: period(value),
        count,
        sets: isChosen ? { since: '', until: '' } : { since, until },
        isChosen,
      };
    });
  return (
    <div class="facets">
      <dl>
        {[...groups.map(([name, all]) => [name, byCount(all)] as const), [t.filters.time, times] as const]
          .filter(([, all]) => all.length > 0)
          .map(([name, all]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                {all.slice(0, MOST).map(({ text, count, sets, isChosen }) => (
                  <a
                    key={text}
                    class="chip"
                    href={filterHref({ ...filter, ...sets })}
                    aria-current={isChosen ? 'true' : undefined}
                  >
                    {text} <span class="muted">{number(count)}</span>
                  </a>
                ))}
              </dd>
            </div>
          ))}
      </dl>
    </div>
  );
}

const byCount = (all: readonly Choice[]) => all.toSorted((a, b) => b.count - a.count);
