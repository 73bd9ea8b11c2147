import { endpointId, type EndpointKey } from '../domain/document.ts';
import type { StateCount } from '../ports/ledgerReports.ts';

/** How many documents wait for endpoints that are not in the configuration any more, by the id of the endpoint. */
export function orphansAmong(
  counts: readonly StateCount[],
  endpoints: readonly { readonly key: EndpointKey }[],
): ReadonlyMap<string, number> {
  const configured = new Set(endpoints.map(({ key }) => endpointId(key)));
  const waiting = new Map<string, number>();
  for (const { endpoint, state, count } of counts) {
    if (endpoint === null || configured.has(endpointId(endpoint))) continue;
    if (state !== 'queued' && state !== 'held' && state !== 'uploading') continue;
    waiting.set(endpointId(endpoint), (waiting.get(endpointId(endpoint)) ?? 0) + count);
  }
  return waiting;
}
