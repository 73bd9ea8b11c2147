import type { LedgerEvent } from '../events.ts';
import { toJournal } from '../events.ts';
import { ADD_HISTORY, chainOn, SET_HEAD } from './history.ts';
import { ERASABLE_AMONG } from './sql/documents.ts';
import {
  AGENTS_OF_PERSONAL,
  BLANK_PERSONAL,
  FILES_OF_DOCUMENTS,
  FILES_OF_ERASED,
  HEADS_FOR_UPDATE,
  WITH_THEIR_PAGES,
} from './sql/erase.ts';
import type { Store } from './store.ts';
import type { Transaction } from './transaction.ts';

/** Documents per transaction: other agents wait while it runs. */
const BATCH = 200;

/**
 * Erases personal data of documents, in the tables and in the history of every agent involved. Blanks replace the data,
 * byte for byte, and an entry in the same chain accounts for them.
 */
export async function erase(store: Store, documentIds: readonly number[], at: number): Promise<number> {
  const ids = [...new Set(documentIds)];
  let erased = 0;
  for (let from = 0; from < ids.length; from += BATCH) {
    const batch = ids.slice(from, from + BATCH);
    // Entries of the same group would not be in the history yet when it is searched.
    erased += await store.writeAlone((sql) => eraseBatch(sql, batch, at));
  }
  return erased;
}

async function eraseBatch(sql: Transaction, ids: readonly number[], at: number): Promise<number> {
  const own = sql.session.agentId;
  // In the lock order that all agents follow: agents, then documents.
  const idsOf = async (text: string, params: Parameters<typeof sql.all>[1]): Promise<number[]> =>
    (await sql.all<{ id: number }>(text, params)).map(({ id }) => id);
  const held = await idsOf(FILES_OF_DOCUMENTS, { ids });
  const agents = await idsOf(AGENTS_OF_PERSONAL, { ids, sightings: held });
  const heads = await sql.all<Head>(HEADS_FOR_UPDATE, { ids: agents.filter((id) => id !== own) });
  const documents = await idsOf(ERASABLE_AMONG, { ids });
  if (documents.length === 0) return 0;
  const files = await idsOf(FILES_OF_ERASED, { ids: documents });
  const sightings = files.length === 0 ? [] : await idsOf(WITH_THEIR_PAGES, { files });
  const blanked = await sql.all<{ agentId: number; seq: number }>(BLANK_PERSONAL, {
    ids: documents,
    sightings,
    agents: [own, ...heads.map(({ id }) => id)],
  });
  const event = (agent: number): LedgerEvent => ({
    kind: 'erased',
    documents,
    ...(sightings.length > 0 && { sightings }),
    entries: rangesOf(blanked.filter(({ agentId }) => agentId === agent).map(({ seq }) => seq)),
  });
  for (const { id, seq, hash } of heads) {
    if (!blanked.some(({ agentId }) => agentId === id)) continue;
    const { params, head } = chainOn({ seq, hash }, [toJournal(event(id), at)], id);
    sql.send(ADD_HISTORY, params);
    sql.send(SET_HEAD, { agentId: id, ...head });
  }
  sql.emit(event(own), at);
  return documents.length;
}

interface Head {
  readonly id: number;
  readonly seq: number;
  readonly hash: string;
}

/** Numbers as ranges, both ends inclusive. */
function rangesOf(seqs: readonly number[]): (readonly [from: number, to: number])[] {
  const ranges: [number, number][] = [];
  for (const seq of seqs.toSorted((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last?.[1] === seq - 1) last[1] = seq;
    else ranges.push([seq, seq]);
  }
  return ranges;
}
