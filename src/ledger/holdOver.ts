import { credentialsKey, type AccountOf } from '../core/domain/account.ts';
import { endpointId, type EndpointKey } from '../core/domain/document.ts';
import type { Hold, HoldScope } from '../core/ports/hold.ts';

export const PAUSED = 'PAUSED';

/** Nearest cause first. The service is missing from `held`: its hold is an outage, which resolves itself. */
const NEAREST: readonly HoldScope[] = ['folder', 'endpoint', 'credentials', 'service'];

/** What holds back the queued documents of a folder and endpoint; a pause takes precedence. */
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
