import { useEffect, useState } from 'preact/hooks';
import type { Response } from '../../../control/protocol/protocol.ts';
import { callInParts } from '../api.ts';
import { useCountsTick } from '../parts/hooks.ts';
import { filterHref, requestOf, type FilterText } from './documentFilter.ts';

interface FacetAnswer extends Parts {
  /** Whether everything was counted. */
  readonly isAll: boolean;
}

/** Counting reads the whole list, which is too slow to repeat for every new scan. */
const REFRESH_MS = 15_000;
/** Each part takes at most half a second; after these, the counts are lower bounds. */
const MOST_PARTS = 10;
const MOST_DAYS = 62;

export interface ShownFacets extends FacetAnswer {
  /** False while the counts of the previous filter are still shown. */
  readonly isCurrent: boolean;
}

/** Counts by kind for the filter; null until known. `isReady`: the list has loaded, which comes first. */
export function useFacets(filter: FilterText, isReady: boolean): ShownFacets | null {
  const [known, setKnown] = useState<{ readonly key: string; readonly facets: FacetAnswer } | null>(null);
  const key = filterHref({ ...filter, order: '' });
  const counts = useCountsTick(REFRESH_MS);
  useEffect(() => {
    if (!isReady) return;
    const control = new AbortController();
    const look = async () => {
      const { order: _order, ...request } = requestOf(filter);
      const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
      const by = daysOf(filter) <= MOST_DAYS ? 'day' : 'month';
      let all: Parts | null = null;
      let isAll = false;
      let parts = 0;
      for await (const { next, ...part } of callInParts('facets', { ...request, zone, by }, control.signal)) {
        all = all === null ? part : sumOf(all, part);
        isAll = next === null;
        if (++parts === MOST_PARTS) break;
      }
      if (all !== null && !control.signal.aborted) setKnown({ key, facets: { ...all, isAll } });
    };
    // The list reports the error.
    look().catch(() => {});
    return () => control.abort();
  }, [key, counts, isReady]);
  return known && { ...known.facets, isCurrent: known.key === key };
}

function daysOf({ since, until }: FilterText): number {
  if (since === undefined) return Infinity;
  return (Date.parse(until ?? new Date().toISOString()) - Date.parse(since)) / 86_400_000;
}

type Parts = Omit<Response<'facets'>, 'next'>;

function sumOf(a: Parts, b: Parts): Parts {
  return {
    total: a.total + b.total,
    states: merged(a.states, b.states),
    folders: merged(a.folders, b.folders),
    endpoints: merged(a.endpoints, b.endpoints),
    statuses: merged(a.statuses, b.statuses),
    periods: merged(a.periods, b.periods),
  };
}

type FacetCounts<T> = { value: T; count: number }[];

function merged<T>(a: FacetCounts<T>, b: FacetCounts<T>): FacetCounts<T> {
  const all = new Map<string, { value: T; count: number }>();
  for (const { value, count } of [...a, ...b]) {
    const key = JSON.stringify(value);
    all.set(key, { value, count: count + (all.get(key)?.count ?? 0) });
  }
  return [...all.values()];
}
