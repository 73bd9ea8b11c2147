import { endpointId, type EndpointKey } from '../../core/domain/document.ts';
import { isElsewhere } from '../../core/domain/elsewhere.ts';
import type { StateCount } from '../../core/ports/ledgerReports.ts';

export interface Orphans {
  readonly waiting: number;
  /** Whether it ever accepted one: else its uid may have been a mistake. */
  readonly tookSome: boolean;
  /** What to do about them. */
  readonly advice: string;
}

/**
 * Documents that wait for endpoints that are not in the configuration any more, by the id of the endpoint. What waits in a folder
 * of another agent on a shared ledger is that one's: its configuration has endpoints of its own.
 */
export function orphansAmong(
  counts: readonly StateCount[],
  endpoints: readonly { readonly key: EndpointKey }[],
): ReadonlyMap<string, Orphans> {
  const configured = new Set(endpoints.map(({ key }) => endpointId(key)));
  const waiting = new Map<string, number>();
  const tookSome = new Set<string>();
  for (const { endpoint, folder, state, count } of counts) {
    if (endpoint === null || configured.has(endpointId(endpoint))) continue;
    // Another agent sends them, and knows its endpoints.
    if (isElsewhere(folder)) continue;
    const id = endpointId(endpoint);
    if (state === 'accepted' && count > 0) tookSome.add(id);
    if (state !== 'queued' && state !== 'held' && state !== 'uploading') continue;
    waiting.set(id, (waiting.get(id) ?? 0) + count);
  }
  return new Map(
    [...waiting].map(([id, total]) => [
      id,
      { waiting: total, tookSome: tookSome.has(id), advice: tookSome.has(id) ? PUT_BACK : NEVER_TOOK },
    ]),
  );
}

const SEND_ELSEWHERE = '`receiptd resend NAME --endpoint ALIAS`';
const PUT_BACK = `Put the endpoint back under \`endpoints\`, or send each document to another endpoint with ${SEND_ELSEWHERE}.`;
/** To put back the uid of a slip would only strand more. */
const NEVER_TOOK = `It never accepted a document. If its uid was a mistake, send each document to the right endpoint with ${SEND_ELSEWHERE}.`;
