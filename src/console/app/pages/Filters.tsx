import { useId, useState } from 'preact/hooks';
import { useOverview } from '../live.ts';
import type { OverviewResponse } from '../../../control/protocol/overview.ts';
import { period } from '../format.ts';
import { Button } from '../parts/Button.tsx';
import { Form, Labelled, SelectField, typed, type Option } from '../parts/Field.tsx';
import { LIST_STATES } from '../parts/State.tsx';
import { LISTS } from '../parts/Tally.tsx';
import { replace } from '../router.ts';
import { endpointId, WAITING_STATES } from '../tally.ts';
import { t } from '../texts.ts';
import { Facets } from './Facets.tsx';
import { Search } from './Search.tsx';
import { ValueFilters } from './ValueFilters.tsx';
import {
  ATTENTIONS,
  filterHref,
  valuesOf,
  valuesText,
  type FilterKey,
  type FilterText,
} from './documentFilter.ts';
import { spanOf } from './periods.ts';
import type { ShownFacets } from './useFacets.ts';

type FilterCount = OverviewResponse['counts'][number];

interface FiltersProps {
  readonly filter: FilterText;
  /** Null until they are known. */
  readonly facets: ShownFacets | null;
}

/** Keeps all filters in the URL, so that they can be bookmarked and shared. All but the search are folded; `ActiveFilters` shows those in use. */
export function Filters({ filter, facets }: FiltersProps) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const choices = useChoices(filter);
  const set = (key: FilterKey, value: string) => replace(filterHref({ ...filter, [key]: value }));
  return (
    <Form class="filters" role="search" aria-label={t.filters.title}>
      <Search
        id="filter-search"
        label={t.filters.search}
        hint={t.filters.searchHint}
        text={filter.search ?? ''}
        maxLength={1000}
        onText={(text) => set('search', text)}
      />
      <Button aria-expanded={isOpen} aria-controls={isOpen ? id : undefined} onClick={() => setOpen(!isOpen)}>
        {t.filters.title}
      </Button>
      {isOpen && (
        <div id={id} class="filter-panel">
          {choices.map(({ name, all, options }) => (
            <SelectField
              key={name}
              id={`filter-${name}`}
              label={names[name]}
              value={filter[name] ?? ''}
              options={[{ value: '', text: all }, ...options.map(withCount)]}
              onValue={(next) => set(name, next)}
            />
          ))}
          <Day name="since" {...{ filter, set }} />
          <Day name="until" {...{ filter, set }} />
          <ValueFilters filter={filter} onValues={(values) => set('values', values)} />
          {facets !== null && <Facets filter={filter} facets={facets} />}
        </div>
      )}
    </Form>
  );
}

const names = { ...t.columns, ...t.filters };

type Counted = Option & { readonly count?: number };

const withCount = ({ value, text, count }: Counted): Option => ({
  value,
  text: count === undefined ? text : t.filters.counted(text, count),
});

interface ChoiceOf {
  readonly name: 'state' | 'attention' | 'folder' | 'endpoint' | 'order';
  /** Text of the choice that filters nothing. */
  readonly all: string;
  readonly options: readonly Counted[];
}

/** What can be chosen from a list. */
function useChoices(filter: FilterText): readonly ChoiceOf[] {
  const overview = useOverview();
  const isHere = ({ folder, endpoint }: FilterCount) =>
    (filter.folder === undefined || folder === filter.folder) &&
    (filter.endpoint === undefined || (endpoint !== null && endpointId(endpoint) === filter.endpoint));
  const here = (overview?.counts ?? []).filter(isHere);
  const counted = (value: string, text: string, isMeant: (count: FilterCount) => boolean): Counted => {
    const count = here.filter(isMeant).reduce((sum, each) => sum + each.count, 0);
    return { value, text, ...(overview === null ? {} : { count }) };
  };
  const states = [
    counted(WAITING_STATES.join(','), t.filters.waiting, ({ state }) => WAITING_STATES.includes(state)),
    ...LIST_STATES.map((each) => counted(each, t.states[each], ({ state }) => state === each)),
    { value: LISTS.other.state, text: t.filters.settled },
  ];
  const attentions = ATTENTIONS.map((value) => ({ value, text: t.filters[value] }));
  const folders = overview?.status.folders.map(({ path }) => ({ value: path, text: path })) ?? [];
  const endpoints =
    overview?.endpoints.map(({ alias, endpoint }) => ({ value: endpointId(endpoint), text: alias })) ?? [];
  const all: readonly ChoiceOf[] = [
    { name: 'state', all: t.filters.allStates, options: states },
    { name: 'attention', all: t.filters.allAttention, options: attentions },
    { name: 'folder', all: t.filters.allFolders, options: folders },
    { name: 'endpoint', all: t.filters.allEndpoints, options: endpoints },
    { name: 'order', all: t.filters.newest, options: [{ value: 'oldest', text: t.filters.oldest }] },
  ];
  return all.map((choice) => {
    const value = filter[choice.name];
    // A value that is no longer an option, for example from an old bookmark, must stay visible.
    const isForeign = value !== undefined && !choice.options.some((option) => option.value === value);
    return isForeign ? { ...choice, options: [{ value, text: value }, ...choice.options] } : choice;
  });
}

interface DayProps {
  readonly name: 'since' | 'until';
  readonly filter: FilterText;
  readonly set: (key: FilterKey, value: string) => void;
}

function Day({ name, filter, set }: DayProps) {
  return (
    <Labelled id={`filter-${name}`} label={t.filters[name]}>
      <input
        id={`filter-${name}`}
        type="date"
        value={filter[name] ?? ''}
        onChange={typed((value) => set(name, value))}
      />
    </Labelled>
  );
}

interface ActiveFilter {
  readonly text: string;
  readonly without: FilterText;
}

/** The filters in use; each is a link to the list without it. Search and common periods show themselves. */
export function ActiveFilters({ filter }: { readonly filter: FilterText }) {
  const columns = useOverview()?.columns ?? [];
  const without = (key: FilterKey, value = '') => ({ ...filter, [key]: value });
  const labelled = (label: string, text: string) => `${label}: ${text}`;
  const chosen = useChoices(filter).flatMap(({ name, options }): ActiveFilter[] => {
    const option = options.find(({ value }) => value === filter[name]);
    return option === undefined ? [] : [{ text: labelled(names[name], option.text), without: without(name) }];
  });
  const status: ActiveFilter[] =
    filter.status === undefined
      ? []
      : [{ text: labelled(t.columns.status, filter.status), without: without('status') }];
  const days = (['since', 'until'] as const).flatMap((name): ActiveFilter[] => {
    const day = filter[name];
    if (day === undefined || spanOf(filter) !== null) return [];
    return [{ text: labelled(t.filters[name], period(day)), without: without(name) }];
  });
  const values = valuesOf(filter).map((value, at, all): ActiveFilter => {
    const name = columns.find(({ pointer }) => pointer === value.pointer)?.name ?? value.pointer;
    const range = [value.from, value.to].some(Boolean) ? `${value.from ?? ''}–${value.to ?? ''}` : '';
    const rest = valuesText(all.filter((_, index) => index !== at));
    return {
      text: labelled(name, [value.contains, range].filter(Boolean).join(' ') || '…'),
      without: without('values', rest),
    };
  });
  const active = [...chosen, ...status, ...days, ...values];
  const isFiltered = Object.keys(filter).some((key) => key !== 'order');
  return (
    <>
      {active.map((each) => (
        <a
          key={each.text}
          class="chip"
          aria-current="true"
          aria-label={t.of(t.remove, each.text)}
          href={filterHref(each.without)}
        >
          {each.text} <span aria-hidden="true">×</span>
        </a>
      ))}
      {isFiltered && (
        <a class="button quiet small" href={filterHref(filter.order ? { order: filter.order } : {})}>
          {t.filters.clear}
        </a>
      )}
    </>
  );
}
