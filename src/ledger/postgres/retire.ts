import { ReceiptdError } from '../../core/domain/errors.ts';
import type { Retired } from '../../core/ports/fleet.ts';
import * as SQL from './sql/fleet.ts';
import { LOCK_RESULTS } from './sql/results.ts';
import type { Store } from './store.ts';
import { interrupt } from './uploads.ts';

/** Documents per transaction. */
const BATCH = 500;

interface Leaving {
  readonly id: number;
  readonly handed: number | null;
  readonly isRunning: boolean;
}

/** See `LedgerFleet.retire`. If interrupted, the next call resumes it. */
export async function retire(store: Store, name: string, at: number): Promise<Retired> {
  const { agentId, results } = await store.write(async (sql) => {
    const leaving = await sql.get<Leaving>(SQL.STANDING_OF, { name });
    if (!leaving) throw agentUnknown(name);
    const { id } = leaving;
    const own = sql.session.agentId;
    if (id === own) throw new ReceiptdError('USAGE.retiresItself', { agent: name });
    if (leaving.isRunning) throw new ReceiptdError('USAGE.retiresRunning', { agent: name });
    sql.send(SQL.RETIRE, { agentId: id });
    await interrupt(sql, id, `Agent ${name} was retired while it sent this; it may have arrived.`, at);
    sql.send(SQL.END_LEADS, { agentId: id });
    sql.send(SQL.END_HOLDS_OF, { agentId: id });
    // Results stay with the agent if it never handed any to a program: nobody waits for them.
    sql.send(LOCK_RESULTS);
    const { handed } = leaving;
    const taken = handed === null ? 0 : await sql.run(SQL.TAKE_RESULTS, { own, agentId: id, handed });
    sql.notify('queue');
    sql.notify('agents');
    return { agentId: id, results: taken };
  });
  const passedOn = await inBatches(() =>
    store.write(async (sql) => {
      const own = sql.session.agentId;
      const some = await sql.run(SQL.PASS_ON, { own, agentId, limit: BATCH });
      sql.notify('queue');
      return some;
    }),
  );
  const message = `Agent ${name} was retired, and only it had this image. Scan the receipt again.`;
  const lost = await inBatches(() =>
    store.write(async (sql) => {
      const rows = await sql.all<{ id: number }>(SQL.LEFT_BY, { name, limit: BATCH });
      const documents = rows.map(({ id }) => id);
      if (documents.length > 0)
        sql.emit({ kind: 'moved', documents, state: 'lost', reason: 'BYTES_GONE', message }, at);
      return documents.length;
    }),
  );
  return { lost, passedOn, results };
}

async function inBatches(batch: () => Promise<number>): Promise<number> {
  let sum = 0;
  for (let some = BATCH; some === BATCH;) {
    some = await batch();
    sum += some;
  }
  return sum;
}

export function agentUnknown(name: string): ReceiptdError {
  return new ReceiptdError('AGENT_UNKNOWN', { agent: name });
}
