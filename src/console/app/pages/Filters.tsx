import { useOverview } from '../live.ts';
import type { OverviewResponse } from '../../../control/protocol/overview.ts';
import { Form, Labelled, SelectField, typed, type Option } from '../parts/Field.tsx';
import { LIST_STATES } from '../parts/State.tsx';
import { LISTS } from '../parts/Tally.tsx';
import { replace } from '../router.ts';
import { endpointId, WAITING_STATES } from '../tally.ts';
import { t } from '../texts.ts';
import { Search } from './Search.tsx';
import { ValueFilters } from './ValueFilters.tsx';
import { ATTENTIONS, filterHref, type FilterKey, type FilterText } from './documentFilter.ts';

type FilterCount = OverviewResponse['counts'][number];

/** Keeps all filters in the URL, so that they can be bookmarked and shared. */
export function Filters({ filter }: { readonly filter: FilterText }) {
  const overview = useOverview();
  const set = (key: FilterKey, value: string) => replace(filterHref({ ...filter, [key]: value }));
  const isHere = ({ folder, endpoint }: FilterCount) =>
    (filter.folder === undefined || folder === filter.folder) &&
    (filter.endpoint === undefined || (endpoint !== null && endpointId(endpoint) === filter.endpoint));
  const here = (overview?.counts ?? []).filter(isHere);
  const withCount = (text: string, isMeant: (count: FilterCount) => boolean) => {
    const meant = here.filter(isMeant).reduce((sum, { count }) => sum + count, 0);
    return overview === null ? text : t.filters.counted(text, meant);
  };
  const groups = [
    {
      value: WAITING_STATES.join(','),
      text: withCount(t.filters.waiting, ({ state }) => WAITING_STATES.includes(state)),
    },
    ...LIST_STATES.map((each) => ({
      value: each as string,
      text: withCount(t.states[each], ({ state }) => state === each),
    })),
    { value: LISTS.other.state, text: t.filters.settled },
  ];
  const folders = overview?.status.folders.map(({ path }) => ({ value: path, text: path })) ?? [];
  const endpoints =
    overview?.endpoints.map(({ alias, endpoint }) => ({ value: endpointId(endpoint), text: alias })) ?? [];
  const isFiltered = Object.keys(filter).some((key) => key !== 'order');
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
      <Choice name="state" all={t.filters.allStates} options={groups} {...{ filter, set }} />
      <Choice
        name="attention"
        all={t.filters.allAttention}
        options={ATTENTIONS.map((value) => ({ value, text: t.filters[value] }))}
        {...{ filter, set }}
      />
      <Choice name="folder" all={t.filters.allFolders} options={folders} {...{ filter, set }} />
      <Choice name="endpoint" all={t.filters.allEndpoints} options={endpoints} {...{ filter, set }} />
      <Day name="since" {...{ filter, set }} />
      <Day name="until" {...{ filter, set }} />
      <Choice
        name="order"
        all={t.filters.newest}
        options={[{ value: 'oldest', text: t.filters.oldest }]}
        {...{ filter, set }}
      />
      <ValueFilters filter={filter} onValues={(values) => set('values', values)} />
      {isFiltered && (
        <a class="button clear" href={filterHref(filter.order ? { order: filter.order } : {})}>
          {t.filters.clear}
        </a>
      )}
    </Form>
  );
}

interface FilterPartProps {
  readonly filter: FilterText;
  readonly set: (key: FilterKey, value: string) => void;
}

function Choice({
  name,
  all,
  options,
  filter,
  set,
}: FilterPartProps & {
  readonly name: 'state' | 'attention' | 'folder' | 'endpoint' | 'order';
  readonly all: string;
  readonly options: readonly Option[];
}) {
  const value = filter[name] ?? '';
  // A value that is no longer an option, for example from an old bookmark, must stay visible.
  const isForeign = value !== '' && !options.some((option) => option.value === value);
  return (
    <SelectField
      id={`filter-${name}`}
      label={t.filters[name]}
      value={value}
      options={[{ value: '', text: all }, ...(isForeign ? [{ value, text: value }] : []), ...options]}
      onValue={(next) => set(name, next)}
    />
  );
}

function Day({ name, filter, set }: FilterPartProps & { readonly name: 'since' | 'until' }) {
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
