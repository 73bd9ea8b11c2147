import { parseEntryText } from '../journal/line.ts';
import * as SQL from './sql/verify.ts';
import type { Sql } from './statements.ts';

const BATCH = 1_000;
const BULK_BATCH = 100;
const SHOWN = 20;

interface Told {
  readonly seq: number;
  readonly state: string;
}

/** By agent: the last state that its chain gives a document. */
type ToldBy = Map<number, Told>;

/**
 * Compares the state of each document with the last one that any agent's chain gives it. Which of several agents was the last to write is in no chain,
 * so that each of their last words counts. All of one moment: the caller's transaction. At most `SHOWN` findings.
 *
 * @param mayBeSilent the history that is here need not tell of every document: some came from another ledger, or a month was archived
 */
export async function compareStates(sql: Sql, { mayBeSilent }: { mayBeSilent: boolean }): Promise<string[]> {
  const many = await toldOfMany(sql);
  const findings: string[] = [];
  for (let after = 0; findings.length < SHOWN;) {
    const rows = await sql.all<{ id: number; state: string }>(SQL.STATES, { after, limit: BATCH });
    const last = rows.at(-1);
    if (last === undefined) break;
    after = last.id;
    const told = await toldOfEach(
      sql,
      rows.map(({ id }) => id),
    );
    for (const { id, state } of rows) {
      const entries = told.get(id);
      if (!entries?.isNamed) {
        if (!mayBeSilent) findings.push(`Document ${id} is in the ledger but not in the history.`);
        continue;
      }
      const states = latest(entries.by, many.get(id));
      if (!states.includes(state))
        findings.push(`Document ${id} is ${state} in the ledger, and ${states.join(' or ')} by the history.`);
    }
  }
  return findings.slice(0, SHOWN);
}

function latest(one: ToldBy, many: ToldBy | undefined): string[] {
  const states = [...one].map(([agent, told]) => {
    const other = many?.get(agent);
    return other !== undefined && other.seq > told.seq ? other.state : told.state;
  });
  for (const [agent, { state }] of many ?? []) if (!one.has(agent)) states.push(state);
  return [...new Set(states)];
}

/** Of entries that are about several documents at once. */
async function toldOfMany(sql: Sql): Promise<Map<number, ToldBy>> {
  const told = new Map<number, ToldBy>();
  for (let [agent, seq] = [0, 0]; ;) {
    const rows = await sql.all<Row>(SQL.MOVED_TOGETHER, { agent, seq, limit: BULK_BATCH });
    for (const row of rows) {
      const entry = parseEntryText(row.entry);
      const { documents, state } = entry?.facts ?? {};
      if (!Array.isArray(documents) || typeof state !== 'string') continue;
      for (const id of documents) {
        if (typeof id !== 'number') continue;
        const by: ToldBy = told.get(id) ?? new Map();
        by.set(row.agentId, { seq: row.seq, state });
        told.set(id, by);
      }
    }
    const last = rows.at(-1);
    if (last === undefined) return told;
    [agent, seq] = [last.agentId, last.seq];
  }
}

interface Row {
  readonly agentId: number;
  readonly seq: number;
  readonly entry: string;
}

async function toldOfEach(
  sql: Sql,
  ids: readonly number[],
): Promise<Map<number, { isNamed: boolean; readonly by: ToldBy }>> {
  const told = new Map<number, { isNamed: boolean; readonly by: ToldBy }>();
  for (const { documentId, agentId, seq, entry } of await sql.all<Row & { documentId: number }>(
    SQL.ENTRIES_OF,
    {
      ids,
    },
  )) {
    const { kind, facts = {} } = parseEntryText(entry) ?? {};
    const of = told.get(documentId) ?? { isNamed: false, by: new Map<number, Told>() };
    told.set(documentId, of);
    of.isNamed ||= kind === 'named';
    const state =
      kind === 'named' ? 'queued' : kind === 'began' ? 'uploading' : kind === 'moved' ? facts['state'] : null;
    if (typeof state === 'string') of.by.set(agentId, { seq, state });
  }
  return told;
}
