import type { Clock } from '../../core/ports/clock.ts';
import type { Hold } from '../../core/ports/hold.ts';
import type { LedgerHolds } from '../../core/ports/ledger.ts';
import { PAUSED } from '../holdOver.ts';
import type { Places } from './places.ts';
import { CLEAR_HOLD, HOLDS_OF, PASSED_ELSEWHERE, PUT_HOLD } from './sql/holds.ts';
import type { Sql } from './statements.ts';
import type { Store } from './store.ts';

/**
 * A person's pause applies to the whole fleet, as does trouble that an agent shares; any other hold applies to one
 * agent only.
 */
export function createHolds(store: Store, clock: Pick<Clock, 'now'>): LedgerHolds {
  return {
    putHold: ({ scope, key, reason, message, since, until, demandedUntil }, sharedMs) =>
      store.write(async (sql) => {
        if (reason === PAUSED && (scope === 'endpoint' || scope === 'folder')) {
          sql.emit({ kind: 'paused', scope, key, message }, since);
          sql.notify('holds');
          return;
        }
        sql.send(PUT_HOLD, {
          scope,
          key: sql.places.ofKey(scope, key),
          paused: 0,
          agentId: sql.session.agentId,
          reason,
          message,
          since,
          // Back-off with jitter yields fractions of a millisecond.
          until: until === null ? null : Math.ceil(until),
          demandedUntil,
          sharedMs: sharedMs ?? null,
        });
        if (sharedMs !== undefined) sql.notify('holds');
      }),

    clearHold: (scope, key, reason) =>
      store.write(async (sql) => {
        if (reason === PAUSED && (scope === 'endpoint' || scope === 'folder')) {
          sql.emit({ kind: 'resumed', scope, key, message: '' }, clock.now());
          sql.notify('holds');
          return;
        }
        const { agentId } = sql.session;
        const of = { scope, key: sql.places.ofKey(scope, key), agentId };
        sql.send(CLEAR_HOLD, { ...of, reason: reason ?? null });
        if (scope !== 'service' && scope !== 'endpoint') return;
        sql.send(PASSED_ELSEWHERE, of);
        sql.notify('holds');
      }),
  };
}

/** Pauses, holds of the agent of these places, and holds that other agents share. */
export async function holdsOf(sql: Sql, places: Places): Promise<Hold[]> {
  const rows = await sql.all<HoldRow>(HOLDS_OF, { agent: places.agent });
  return rows.map(({ agent, leftMs, ...row }) => ({
    ...row,
    key: places.toKey(row.scope, row.key),
    ...(agent !== null && leftMs !== null && { agent, leftMs }),
  }));
}

interface HoldRow extends Omit<Hold, 'agent' | 'leftMs'> {
  readonly agent: string | null;
  readonly leftMs: number | null;
}
