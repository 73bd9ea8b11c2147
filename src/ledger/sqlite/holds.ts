import { credentialsKey, type AccountOf } from '../../domain/account.ts';
import { endpointId, type EndpointKey } from '../../domain/document.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Hold, HoldScope } from '../../ports/hold.ts';
import type { LedgerHolds } from '../../ports/ledger.ts';
import { toHold, type HoldRow } from './rows.ts';
import { ALL_HOLDS, CLEAR_HOLD, PUT_HOLD } from './sql/holds.ts';
import type { Sql } from './statements.ts';
import type { Store } from './store.ts';

const PAUSED = 'PAUSED';

export function createHolds(store: Store, clock: Pick<Clock, 'now'>): LedgerHolds {
  return {
    putHold: ({ scope, key, reason, message, since, until, demanded }) =>
      store.write((sql) => {
        if (reason === PAUSED && (scope === 'endpoint' || scope === 'folder')) {
          return sql.emit({ kind: 'paused', scope, key, message }, since);
        }
        const paused = 0;
        // Back-off with jitter ends between milliseconds, where an INTEGER column refuses it.
        const whole = until === null ? null : Math.ceil(until);
        sql.run(PUT_HOLD, {
          scope,
          key,
          paused,
          reason,
          message,
          since,
          until: whole,
          demanded: Number(demanded),
        });
      }),
    clearHold: (scope, key, reason) =>
      store.write((sql) => {
        if (reason === PAUSED && (scope === 'endpoint' || scope === 'folder')) {
          return sql.emit({ kind: 'resumed', scope, key, message: '' }, clock.now());
        }
        sql.run(CLEAR_HOLD, { scope, key, reason: reason ?? null });
      }),
  };
}

export function allHolds(sql: Sql): Hold[] {
  return sql.all<HoldRow>(ALL_HOLDS).map(toHold);
}

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
