import { endpointId, type EndpointKey } from '../../core/domain/document.ts';
import type { Note } from '../../core/domain/note.ts';
import type { LimitedBy } from '../../flow/limits/pacer.ts';
import type { StateCount } from '../../core/ports/ledgerReports.ts';

type Endpoints = readonly { readonly alias: string; readonly key: EndpointKey }[];

export type RateForecast = Extract<Note, { kind: 'limited' }>;

/** The rate limits that currently slow down uploads, and how long the backlog will take at that rate. */
export function rateForecasts(
  limitedBy: readonly LimitedBy[],
  counts: readonly StateCount[],
  endpoints: Endpoints,
): RateForecast[] {
  return limitedBy.flatMap(({ endpoint, rate, perMinute }) => {
    const key = endpoints.find(({ alias }) => alias === endpoint)?.key;
    const id = key && endpointId(key);
    const waiting = counts
      .filter(({ state }) => state === 'queued' || state === 'uploading')
      .filter((each) => endpoint === null || (each.endpoint !== null && endpointId(each.endpoint) === id))
      .reduce((sum, each) => sum + each.count, 0);
    return waiting === 0 ? [] : [{ kind: 'limited', endpoint, rate, leftMs: (waiting * 60_000) / perMinute }];
  });
}
