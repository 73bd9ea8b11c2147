import { credentialsKey, type AccountOf } from '../../core/domain/account.ts';
import { endpointId, type EndpointKey } from '../../core/domain/document.ts';
import { EVERYTHING, PAUSED, type Hold, type HoldScope } from '../../core/domain/hold.ts';
import { folderKeyOf, holdKeyOf } from '../entries.ts';
import type { Row } from '../schema.ts';
import type { Places, View } from './view.ts';

/** Reads the names of a fleet's agents, by their numbers, and the time by the ledger's clock. */
export type Others = () => Promise<{
  readonly now: number;
  readonly names: ReadonlyMap<number, string>;
}>;

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
  const ofOthers = rows.filter((row) => row.paused === 0 && row.agent !== agent && row.shared_until !== null);
  if (ofOthers.length === 0) return own;
  const { now, names } = await others();
  const shared = new Map<string, Hold>();
  for (const row of ofOthers) {
    const until = row.shared_until ?? 0;
    const leftMs = until - now;
    const key = `${row.scope} ${row.key}`;
    if (leftMs <= -REMEMBERED_MS || leftMs <= (shared.get(key)?.leftMs ?? -Infinity)) continue;
    shared.set(key, { ...toHold(row), until, agent: names.get(row.agent) ?? `${row.agent}`, leftMs });
  }
  return [...own, ...shared.values()].sort((a, b) => a.since - b.since);
}

export function holdKey({ places }: Pick<View, 'places'>, scope: HoldScope, key: string): string {
  if (scope !== 'folder') return key;
  return holdKeyOf(places.keyOf(key));
}

export function fromRow(places: Places, scope: HoldScope, key: string): string {
  return scope === 'folder' ? places.pathOf(folderKeyOf(key)) : key;
}

/** Nearest cause first. */
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
  return holds
    .filter(({ scope, key }) => key === keys[scope] || key === EVERYTHING)
    .sort((a, b) => rank(a) - rank(b))[0];
}

/** Not by trouble of the service, which resolves itself. */
export function isHeld(hold: Hold | undefined): boolean {
  return hold !== undefined && (hold.scope !== 'service' || hold.reason === PAUSED);
}
