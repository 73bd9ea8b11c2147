import { credentialsKey, type AccountOf } from '../core/domain/account.ts';
import { endpointId, type EndpointKey } from '../core/domain/document.ts';
import type { Hold, HoldScope } from '../core/ports/hold.ts';

export const PAUSED = 'PAUSED';

/** The nearest cause first; the service is no `held`: it is an outage, which passes by itself. */
const NEAREST: readonly HoldScope[] = ['folder', 'endpoint', 'credentials', 'service'];

/** What keeps the queued documents of a folder and endpoint waiting: a pause before anything else. */
export function holdOver(
  holds: readonly Hold[],
  endpoint: EndpointKey,
  folder: string,
  accountOf: AccountOf,
): Hold | undefined {
  const keys: Record<HoldScope, string> = {
    folder,
    endpoint: endpointId(endpoint),
    credentials: credentialsKey(endpoint.baseUrl, accountOf(endpoint)),
    service: endpoint.baseUrl,
  };
  const rank = (hold: Hold): number =>
    NEAREST.indexOf(hold.scope) - (hold.reason === PAUSED ? NEAREST.length : 0);
  return holds.filter((hold) => hold.key === keys[hold.scope]).sort((a, b) => rank(a) - rank(b))[0];
}

export function isHeld(hold: Hold | undefined): boolean {
  return hold !== undefined && hold.scope !== 'service';
}
