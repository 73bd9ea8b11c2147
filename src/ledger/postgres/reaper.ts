import type { Clock } from '../../core/ports/clock.ts';
import * as SQL from './sql/fleet.ts';
import { LET_OTHERS_LOOK } from './sql/queue.ts';
import type { Store } from './store.ts';
import type { Transaction } from './transaction.ts';
import { interrupt } from './uploads.ts';

/**
 * Takes over from agents whose lease has expired: from then on their writes are refused and others may do their work.
 * The changes go into the chain of the agent that takes over. Resolves the names of the expired agents.
 */
export async function reap(store: Store, clock: Pick<Clock, 'now'>): Promise<readonly string[]> {
  return store.write(async (sql) => {
    const { agentId } = sql.session;
    const overdue = await sql.all<{ id: number; name: string }>(SQL.OVERDUE, { agentId });
    if (overdue.length === 0) return [];
    // Not all agents: of a thousand, each would ask in vain, for each agent that dies.
    const agentIds = overdue.map(({ id }) => id);
    const places = await sql.all<{ place: string }>(SQL.PLACES_LEFT, { agentIds });
    for (const agent of overdue) await takeOver(sql, agent, clock.now());
    for (const { place } of places) sql.notify('queue', place);
    return overdue.map(({ name }) => name);
  });
}

async function takeOver(
  sql: Transaction,
  { id, name }: { readonly id: number; readonly name: string },
  at: number,
): Promise<void> {
  sql.send(SQL.FENCE, { agentId: id });
  const message = `Agent ${name} went silent while sending this. It may have arrived, and is sent again.`;
  await interrupt(sql, id, message, at);
  sql.send(SQL.END_LEADS, { agentId: id });
  sql.send(LET_OTHERS_LOOK, { agentId: id });
}
