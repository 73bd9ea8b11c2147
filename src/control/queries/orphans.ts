import { endpointId, type EndpointKey } from '../../core/domain/document.ts';
import { isElsewhere } from '../../core/domain/elsewhere.ts';
import type { StateCount } from '../../core/ports/ledgerReports.ts';

export interface Orphans {
  readonly waiting: number;
  /** Whether the endpoint ever accepted a document; if not, its uid may have been a mistake. */
  readonly tookSome: boolean;
  /** What to do about them. */
  readonly advice: string;
}

/**
 * Documents waiting for endpoints that were removed from the configuration, by endpoint id. Skips documents in folders of other
 * agents on a shared ledger, whose configurations have their own endpoints.
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
/** Does not suggest putting the endpoint back: with a mistyped uid, that would only strand more documents. */
const NEVER_TOOK = `It never accepted a document. If its uid was a mistake, send each document to the right endpoint with ${SEND_ELSEWHERE}.`;
