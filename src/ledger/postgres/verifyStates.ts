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

/** The last state that each agent's chain gives a document, by agent. */
type ToldBy = Map<number, Told>;

/**
 * Compares the state of each document with the last one in each agent's chain. No chain shows which of several agents
 * wrote last, so each of their last states is accepted. Reads one snapshot: the caller's transaction. At most `SHOWN`
 * findings.
 *
 * @param mayBeSilent the history may lack documents: some were imported from another ledger, or a month was archived
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

/** From entries about several documents at once. */
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
