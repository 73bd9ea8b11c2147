import type { Hold, HoldScope } from '../../../core/ports/hold.ts';
import type { Row } from '../schema.ts';
import type { Places, View } from './view.ts';

/** What is known of other agents of the fleet. */
export interface Others {
  nameOf(agent: number): string;
  /** How long until then by the ledger's clock; milliseconds. */
  leftMs(time: number): number;
}

type HoldColumns = Omit<Row<'holds'>, 'id' | 'open'>;

const OPEN = `SELECT h.scope, h.key, h.agent, h.paused, h.shared_until, h.reason, h.message, h.since, h.until, h.demanded_until
  FROM holds h WHERE h.open = 1 ORDER BY h.since, h.scope, h.key, h.paused`;

/** How long others still see a hold that is over for them, so that the agent that reported it may try first; milliseconds. */
const REMEMBERED_MS = 10_000;

/** Pauses, this agent's holds, and of those of others that hold it too the longest of each kind. */
export async function holdsOf(view: View, others: Others | null): Promise<readonly Hold[]> {
  const { agent } = view;
  const rows = await view.all<HoldColumns>(OPEN);
  const toHold = (row: HoldColumns): Hold => ({
    scope: row.scope,
    key: fromRow(view.places, row.scope, row.key),
    reason: row.reason,
    message: row.message ?? '',
    since: row.since,
    until: row.until,
    demandedUntil: row.demanded_until,
  });
  const own = rows.filter((row) => row.paused === 1 || row.agent === agent).map(toHold);
  if (others === null) return own;
  const shared = new Map<string, Hold>();
  for (const row of rows) {
    const { shared_until: until } = row;
    if (row.paused === 1 || row.agent === agent || until === null) continue;
    const leftMs = others.leftMs(until);
    const key = `${row.scope} ${row.key}`;
    if (leftMs <= -REMEMBERED_MS || leftMs <= (shared.get(key)?.leftMs ?? -Infinity)) continue;
    shared.set(key, { ...toHold(row), until, agent: others.nameOf(row.agent), leftMs });
  }
  return [...own, ...shared.values()].sort((a, b) => a.since - b.since);
}

/** Rows call a folder what every agent calls it: its owner, a line break, its path there. */
export function holdKey({ places }: Pick<View, 'places'>, scope: HoldScope, key: string): string {
  if (scope !== 'folder') return key;
  const { owner, path } = places.keyOf(key);
  return owner === '' ? path : `${owner}\n${path}`;
}

export function fromRow(places: Places, scope: HoldScope, key: string): string {
  // A path without an owner is absolute.
  const [, owner = '', path = key] = (scope === 'folder' && /^([^\n/\\]+)\n(.*)$/s.exec(key)) || [];
  return scope === 'folder' ? places.pathOf({ owner, path }) : key;
}
