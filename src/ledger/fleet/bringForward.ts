import type { JournalLine } from '../journal/line.ts';
import { PostgresEngine, postgresReader } from '../postgres/engine.ts';
import type { Bringing, Member } from '../postgres/member.ts';
import type { OwnChain } from '../postgres/ownChain.ts';
import type { Sql } from '../postgres/statements.ts';
import { CHAIN, folderIn, fromJournal } from '../entries.ts';
import { rowsOf } from '../fold.ts';
import { LedgerCore } from '../ledger.ts';
import { TABLE_NAMES, type Table } from '../schema.ts';

/** Entries that are brought back in one transaction. */
const AT_ONCE = 500;

const MISSING = `SELECT r.name, r.id FROM unnest(:names::text[], :ids::bigint[]) AS r (name, id)
  WHERE CASE r.name WHEN 'documents' THEN NOT EXISTS (SELECT FROM documents t WHERE t.id = r.id)
                    WHEN 'files' THEN NOT EXISTS (SELECT FROM files t WHERE t.id = r.id)
                    WHEN 'endpoints' THEN NOT EXISTS (SELECT FROM endpoints t WHERE t.id = r.id)
                    ELSE NOT EXISTS (SELECT FROM folders t WHERE t.id = r.id) END`;

/**
 * Brings the database forward from an agent's own chain, behind an entry: the lines that are missing are recorded as they are, and folded, as in a move.
 * Where they are about rows of other agents, which may be bringing back theirs, it waits for those as long as there is hope. What was lost with an agent
 * that does not come is passed over. Documents that wait fail if another agent took their bytes meanwhile.
 * @returns false if a line can't be recorded: it and those behind it are left
 */
export async function bringForward(
  { connection, session, patience, renew }: Bringing,
  fromSeq: number,
  own: OwnChain,
  member: Pick<Member, 'self' | 'where' | 'folders' | 'now' | 'isClosed'>,
): Promise<boolean> {
  const { self, where, folders } = member;
  const { agent } = session;
  const reader = postgresReader((work) => work(connection));
  const reconnected = async () => connection;
  const committed: Member['committed'] = (lines, head) => own.append(lines, head);
  const writing = {
    self,
    where,
    folders,
    session,
    connection,
    reconnected,
    committed,
    get isClosed() {
      return member.isClosed;
    },
  };
  const engine = new PostgresEngine({ member: writing, reader });
  const core = new LedgerCore(engine);
  // The tables may be of an older schema.
  await core.start();
  await blankOwn({ read: (work) => work(connection), agent, own });
  const base = agent * CHAIN;
  let isHopeful = true;
  const bring = async (commits: readonly (readonly JournalLine[])[]): Promise<void> => {
    for (let left = commits; left.length > 0;) {
      const ready = isHopeful ? await readyOf(left) : left.length;
      if (ready > 0) await core.follow([left.slice(0, ready).flat()]);
      else isHopeful = await patience.wait(true);
      left = left.slice(ready);
      await renew();
    }
  };
  /** How many of the commits come before the first one about a row that is not there. */
  const readyOf = async (commits: readonly (readonly JournalLine[])[]): Promise<number> => {
    const about = commits.map((commit) => othersIn(commit, { base, name: self.name }));
    const wanted = [...new Set(about.flat())].map((key) => key.split(' ') as [Table, string]);
    if (wanted.length === 0) return commits.length;
    const [names, ids] = [wanted.map(([name]) => name), wanted.map(([, id]) => Number(id))];
    const rows = await connection.all<{ readonly name: string; readonly id: number }>(MISSING, {
      names,
      ids,
    });
    const missing = new Set(rows.map(({ name, id }) => `${name} ${id}`));
    const made = new Set<string>();
    const ready = commits.findIndex((commit, i) => {
      for (const { kind, facts } of commit) {
        if (kind === 'endpoint') made.add(`endpoints ${Number(facts['endpoint'])}`);
        if (kind === 'folder') made.add(`folders ${folderIn(Number(facts['folder']), self.name)}`);
      }
      return about[i]?.some((key) => missing.has(key) && !made.has(key));
    });
    return ready < 0 ? commits.length : ready;
  };
  try {
    let commits: (readonly JournalLine[])[] = [];
    let count = 0;
    for (const commit of own.commitsBehind(fromSeq)) {
      commits.push(commit);
      count += commit.length;
      if (count < AT_ONCE) continue;
      await bring(commits);
      commits = [];
      count = 0;
    }
    await bring(commits);
  } catch (error) {
    if (engine.faultOf(error) !== 'row') throw error;
    return false;
  }
  await core.run([['merge', [{ ledger: null, at: member.now }]]]);
  return true;
}

interface Erasure {
  readonly id: number;
  readonly first: number;
  readonly last: number;
}
const ERASURES = 'SELECT id, first, last FROM erasures WHERE agent = :agent ORDER BY id';
const ERASED = 'DELETE FROM erasures WHERE agent = :agent AND id <= :id';

/** Blanks in an agent's own chain what any agent erased there. */
export async function blankOwn({
  read,
  agent,
  own,
}: {
  readonly read: <T>(work: (sql: Sql) => Promise<T>) => Promise<T>;
  readonly agent: number;
  readonly own: OwnChain | undefined;
}): Promise<void> {
  const rows = await read((sql) => sql.all<Erasure>(ERASURES, { agent }));
  if (rows.length === 0) return;
  own?.erase(rows.map(({ first, last }) => [first, last]));
  await read((sql) => sql.run(ERASED, { agent, id: rows.at(-1)?.id ?? 0 }));
}

/** Rows of other agents, and those that all share. */
function othersIn(
  commit: readonly JournalLine[],
  { base, name }: { readonly base: number; readonly name: string },
): readonly string[] {
  const work = { base, name, id: (number: number) => (number < CHAIN ? number + base : number) };
  return commit.flatMap((recorded) => {
    const entry = fromJournal(recorded);
    const rows = rowsOf(work, entry);
    const shared =
      entry.kind === 'admitted' || entry.kind === 'file' ? [`folders ${folderIn(entry.folder, name)}`] : [];
    return TABLE_NAMES.flatMap((table) => {
      if (table === 'endpoints') return (rows.endpoints ?? []).map((id) => `endpoints ${id}`);
      if (table !== 'documents' && table !== 'files') return [];
      return (rows[table] ?? [])
        .filter((id) => id < base || id >= base + CHAIN)
        .map((id) => `${table} ${id}`);
    }).concat(shared);
  });
}
