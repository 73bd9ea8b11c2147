import type { DocumentFilter, ListRowJson } from '../../../control/protocol/documents.ts';
import { midnight } from '../format.ts';
import { LIST_STATES } from '../parts/State.tsx';
import { href } from '../router.ts';

/** Filter parameters in the URL, unparsed. */
const FILTER_KEYS = [
  'search',
  'state',
  'status',
  'attention',
  'folder',
  'endpoint',
  'since',
  'until',
  'values',
  'order',
] as const;
export type FilterKey = (typeof FILTER_KEYS)[number];
export type FilterText = Readonly<Partial<Record<FilterKey, string>>>;

export type ValueCondition = NonNullable<DocumentFilter['values']>[number];

/** The filter's conditions on result values; ignores malformed ones. */
export function valuesOf({ values = '[]' }: FilterText): readonly ValueCondition[] {
  try {
    const all: unknown = JSON.parse(values);
    if (!Array.isArray(all)) return [];
    return all.slice(0, MOST_VALUES).flatMap((each: unknown) => {
      const { pointer, contains, from, to } = (each ?? {}) as Partial<Record<string, unknown>>;
      if (typeof pointer !== 'string' || !pointer.startsWith('/')) return [];
      const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);
      const wanted = { contains: text(contains), from: text(from), to: text(to) };
      return [{ pointer, ...Object.fromEntries(Object.entries(wanted).filter(([, value]) => value)) }];
    });
  } catch {
    return [];
  }
}

/** The agent's limit per request. */
export const MOST_VALUES = 8;

/** Conditions as URL text; omits empty ones. */
export const valuesText = (values: readonly ValueCondition[]): string =>
  values.length === 0
    ? ''
    : JSON.stringify(values, (_, value: unknown) => (value === '' ? undefined : value));

export const ATTENTIONS = ['needed', 'dismissed', 'none'] as const;

export function filterOf(query: URLSearchParams): FilterText {
  const entries = FILTER_KEYS.map((key) => [key, query.get(key) ?? ''] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== ''));
}

export function filterHref(filter: FilterText, cursor?: string): string {
  return href(['documents'], { ...filter, ...(cursor === undefined ? {} : { cursor }) });
}

/** The page of a document, with the list that it was opened from. */
export function documentHref(id: number, filter: FilterText): string {
  return href(['documents', String(id)], filter);
}

export const nameOf = ({ name, path }: ListRowJson): string => name ?? path.split(/[/\\]/).at(-1) ?? path;

/** The filter as a daemon request. Days are in the reader's time zone, both inclusive. */
export function requestOf(filter: FilterText): DocumentFilter & { order: 'newest' | 'oldest' } {
  const states = LIST_STATES.filter((state) => filter.state?.split(',').includes(state));
  const attention = ATTENTIONS.find((each) => each === filter.attention);
  const hash = filter.endpoint?.lastIndexOf('#') ?? -1;
  const since = midnight(filter.since ?? '');
  const until = midnight(filter.until ?? '', 1);
  const values = valuesOf(filter);
  return {
    order: filter.order === 'oldest' ? 'oldest' : 'newest',
    ...(states.length === 0 ? {} : { states }),
    ...(attention === undefined ? {} : { attention }),
    ...(filter.folder === undefined ? {} : { folder: filter.folder }),
    ...(filter.endpoint === undefined
      ? {}
      : { endpoint: { baseUrl: filter.endpoint.slice(0, hash), uid: filter.endpoint.slice(hash + 1) } }),
    ...(filter.status === undefined ? {} : { statuses: [filter.status] }),
    ...(filter.search === undefined ? {} : { search: filter.search }),
    ...(values.length === 0 ? {} : { values: [...values] }),
    ...(since === undefined ? {} : { since }),
    ...(until === undefined ? {} : { until }),
  };
}

/** The filter as URL parameters for /v1/. */
export function paramsOf(filter: FilterText): URLSearchParams {
  const { states, statuses, values, attention, since, until } = requestOf(filter);
  const params = new URLSearchParams();
  const add = (key: string, value: string | undefined) => value !== undefined && params.set(key, value);
  add('states', states?.join(','));
  add('statuses', statuses && JSON.stringify(statuses));
  add('values', values && JSON.stringify(values));
  add('attention', attention);
  add('folder', filter.folder);
  add('endpoint', filter.endpoint);
  add('search', filter.search);
  add('since', since);
  add('until', until);
  return params;
}

export const keyOf = ({ documentId, path, createdAt }: ListRowJson): string =>
  `${documentId ?? ''}|${path}|${createdAt}`;

/** Merges fresh rows of a page into the shown ones. Shown rows beyond `reach` stay. */
export function renewed(
  shown: readonly ListRowJson[],
  fresh: readonly ListRowJson[],
  reach: string | null,
): { readonly rows: readonly ListRowJson[]; readonly added: readonly ListRowJson[] } {
  const known = new Set(shown.map(keyOf));
  const now = new Map(fresh.map((row) => [keyOf(row), row]));
  const rows = shown.flatMap((row) => {
    const its = now.get(keyOf(row));
    if (its !== undefined) return [its];
    return reach !== null && row.createdAt <= reach ? [row] : [];
  });
  return { rows, added: fresh.filter((row) => !known.has(keyOf(row))) };
}
