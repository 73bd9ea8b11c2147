import type { EndpointKey, Lane } from '../../core/domain/document.ts';
import { dateText, ENTERED_FOR_MS, periodStart, windowOf, BUDGET_PERIODS } from '../../core/domain/limits.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type {
  FleetAgent,
  FleetLimits,
  FleetSignal,
  LedgerFleet,
  SilentAgent,
} from '../../core/ports/fleet.ts';
import type { Hold } from '../../core/ports/hold.ts';
import type { Beat } from './beat.ts';
import type { Link } from './link.ts';
import type { Places } from './places.ts';
import * as SQL from './sql/fleet.ts';
import { END_SHARED } from './sql/holds.ts';
import type { Sql } from './statements.ts';
import type { Store } from './store.ts';
import { agentUnknown, retire } from './retire.ts';
import type { Underway } from './underway.ts';

export function createFleet(
  store: Store,
  link: Link,
  beat: Beat,
  clock: Clock,
  underway: Underway,
): LedgerFleet {
  const { places } = store;
  /** The epoch in which the lead of each folder was taken. */
  const leads = new Map<string, number>();
  // After a failover, the new server may not have these leads.
  store.onBack(() => leads.clear());
  const listeners = new Set<(signal: FleetSignal) => void>();
  const tell = (signal: FleetSignal): void => {
    for (const listener of listeners) listener(signal);
  };
  link.onSignal((signal) => {
    if (signal !== 'paused') return tell(signal);
    // The next heartbeat makes up for a failure.
    void beat
      .look()
      .catch(() => {})
      .then(() => tell('agents'));
  });

  return {
    agent: store.self.name,

    onSignal(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },

    isLeased: (attempt) =>
      store.membership.isLeased &&
      (attempt === undefined || underway.isOf(attempt, store.membership.session.epoch)),

    async lead(folder) {
      if (!places.isShared(folder)) return true;
      // Nobody can take it away before the lease expires.
      if (store.membership.isLeased && leads.get(folder) === store.membership.session.epoch) return true;
      leads.delete(folder);
      await store.rows.ensureFolder(folder);
      const taken = await store.write(async (sql) => {
        const { agentId, epoch } = sql.session;
        const place = places.ofFolder(folder);
        if ((await sql.run(SQL.LEAD, { agentId, epoch, ...place })) === 0) return null;
        // Agents on standby show who leads.
        sql.notify('agents', place.place);
        return epoch;
      });
      if (taken === null) return false;
      leads.set(folder, taken);
      return true;
    },

    async endLead(folder) {
      leads.delete(folder);
      if (!places.isShared(folder)) return;
      await store.write(async (sql) => {
        const { agentId } = sql.session;
        const place = places.ofFolder(folder);
        if ((await sql.run(SQL.END_LEAD, { agentId, ...place })) > 0) sql.notify('agents', place.place);
      });
    },

    async enter(endpoint, limits, lane) {
      if (limits.rate === null && limits.perDay === null && limits.perMonth === null) return 0;
      await store.rows.ensureEndpoint(endpoint);
      const now = clock.now();
      const entry = entryOf(endpoint, limits, lane, now);
      const row = await store.read((sql) => sql.get<{ wait: number }>(SQL.ENTER, entry));
      if (!row) throw new Error('a function gave no row');
      if (row.wait >= 0) return row.wait;
      // -1 and below: index of the exhausted budget.
      const period = BUDGET_PERIODS[-1 - row.wait];
      if (period === undefined) throw new Error(`a function gave ${row.wait}`);
      return Math.max(1, periodStart(period, now, 1) - now);
    },

    agents: () => store.read((sql) => fleetAgents(sql, places)),

    async silence(atLeastMs, atMostMs) {
      const { isFirst, isAnySilent } = beat.last ?? { isFirst: false, isAnySilent: false };
      if (!isAnySilent) return { isFirst, agents: [] };
      const { name } = store.self;
      const agents = await store.read((sql) =>
        sql.all<SilentAgent>(SQL.SILENT, { name, atLeastMs, atMostMs }),
      );
      return { isFirst, agents };
    },

    async waitingFor(agent) {
      const row = await store.read((sql) => sql.get<{ count: number }>(SQL.WAITING_FOR, { name: agent }));
      return row?.count ?? 0;
    },

    endHolds: () =>
      store.write(async (sql) => {
        sql.send(END_SHARED);
        sql.notify('holds');
      }),

    isPaused: () => beat.isPaused,

    async handed(turn) {
      const { agentId } = store.membership.session;
      await store.read((sql) => sql.run(SQL.HANDED, { agentId, turn }));
    },

    missingFor: (ids) =>
      store.read(async (sql) => {
        const rows = await sql.all<{ name: string }>(SQL.MISSING_FOR, { ids });
        return rows.map(({ name }) => name);
      }),

    retire: (agent, at) => retire(store, agent, at),

    async setPaused(agent, by) {
      const found = await store.read(async (sql) => {
        const rows = await sql.run(SQL.SET_PAUSED, { name: agent, by });
        if (rows > 0) await sql.run(SQL.TELL, { signal: `paused agent:${agent}` });
        return rows > 0;
      });
      if (!found) throw agentUnknown(agent);
      if (agent === store.self.name) await beat.look();
    },
  };
}

function entryOf({ baseUrl, uid }: EndpointKey, limits: FleetLimits, lane: Lane, now: number) {
  const { rate, perDay, perMonth } = limits;
  const window = rate === null ? null : windowOf(rate);
  const kept = window !== null && lane === 'backlog' ? window.reserved : 0;
  return {
    baseUrl,
    uid,
    count: rate?.count ?? null,
    atMost: rate === null ? null : rate.count - kept,
    // Two requests may leave closer together than they were entered.
    intervalMs: window === null ? null : window.intervalMs + ENTERED_FOR_MS,
    dates: BUDGET_PERIODS.map((period) => dateText(period, now)),
    nextDates: BUDGET_PERIODS.map((period) => dateText(period, periodStart(period, now, 1))),
    begins: BUDGET_PERIODS.map((period) => periodStart(period, now)),
    limits: [perDay, perMonth],
  };
}

interface AgentRow extends Omit<FleetAgent, 'paused' | 'leads' | 'holds'> {
  readonly id: number;
  readonly pausedBy: string | null;
  readonly pausedAt: number | null;
  /** Names of places. */
  readonly leads: readonly string[];
}

/** Data for `receiptd fleet status`. Folders are shown as the agent of these places sees them. */
export async function fleetAgents(sql: Sql, places: Places): Promise<FleetAgent[]> {
  const [agents, holdRows] = await Promise.all([
    sql.all<AgentRow>(SQL.AGENTS),
    sql.all<Hold & { readonly agentId: number }>(SQL.HOLDS_OF_AGENTS),
  ]);
  const holds = new Map<number, Hold[]>();
  for (const { agentId, ...row } of holdRows) {
    const own = holds.get(agentId) ?? [];
    own.push({ ...row, key: places.toKey(row.scope, row.key) });
    holds.set(agentId, own);
  }
  return agents.map(({ id, pausedBy, pausedAt, leads, ...row }) => ({
    ...row,
    paused: pausedBy === null ? null : { by: pausedBy, since: pausedAt ?? 0 },
    leads: leads.map((place) => place.replace(/^share:/, '')),
    holds: holds.get(id) ?? [],
  }));
}
