import type { Clock } from '../../core/ports/clock.ts';
import type { Hold } from '../../core/ports/hold.ts';
import type { LedgerHolds } from '../../core/ports/ledger.ts';
import { PAUSED } from '../holdOver.ts';
import { ALL_HOLDS, CLEAR_HOLD, PUT_HOLD } from './sql/holds.ts';
import type { Sql } from './statements.ts';
import type { Store } from './store.ts';

export function createHolds(store: Store, clock: Pick<Clock, 'now'>): LedgerHolds {
  return {
    putHold: ({ scope, key, reason, message, since, until, demandedUntil }) =>
      store.write((sql) => {
        if (reason === PAUSED && (scope === 'endpoint' || scope === 'folder')) {
          return sql.emit({ kind: 'paused', scope, key, message }, since);
        }
        const paused = 0;
        // Back-off with jitter yields fractions of a millisecond, which an INTEGER column refuses.
        const whole = until === null ? null : Math.ceil(until);
        sql.run(PUT_HOLD, {
          scope,
          key,
          paused,
          reason,
          message,
          since,
          until: whole,
          demandedUntil,
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
  return sql.all<Hold>(ALL_HOLDS);
}
