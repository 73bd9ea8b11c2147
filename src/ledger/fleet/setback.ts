import { toMessage } from '../../core/domain/why.ts';
import { isFault } from '../../core/messages.ts';
import type { Clock } from '../../core/ports/clock.ts';
import { CHAIN, folderIn, fromJournal } from '../entries.ts';
import { rowsOf } from '../fold.ts';
import type { JournalLine } from '../journal/line.ts';
import { LedgerCore } from '../ledger.ts';
import type { ChainHead } from '../postgres/chain.ts';
import type { Connection } from '../postgres/connection.ts';
import { PostgresEngine, postgresReader, type Writing } from '../postgres/engine.ts';
import type { ChainOf, OwnChain } from '../postgres/ownChain.ts';
import type { Sql } from '../postgres/statements.ts';
import { NOW } from '../postgres/tables.ts';

/* A database that went back was restored from a backup, or a standby that was behind took over (docs/decisions/0076). */

/** What it lacks of one agent's chain. */
export interface Setback {
  /** The last entry of this agent that it has; 0: none. */
  readonly fromSeq: number;
  /** The last one that it should have. */
  readonly end: ChainOf & ChainHead;
  /** The database does not know the agent any more. */
  readonly isUnknown: boolean;
  /** Whether the agent's own chain has everything that is missing, and nothing stands in its place. */
  readonly isWhole: boolean;
}

/* ---- Noticing it ---- */

const KNOWN = 'SELECT id, ledger, seq, hash FROM agents WHERE name = :name';
const IS_USED = 'SELECT FROM agents WHERE id = :number';
const LAST_HERE = `
SELECT max(c.seq) AS seq FROM unnest(:seqs::bigint[], :hashes::text[]) AS r (seq, hash) JOIN chain c ON c.agent = :agent AND c.seq = r.seq AND c.hash = r.hash`;
/** Older lines may have been archived. */
const FIRST_HERE = 'SELECT min(seq) AS seq FROM chain WHERE agent = :agent';
const AT_ONCE = 5_000;

/** Compares the agent's chain with its own copy. Null: nothing is missing, or another database is meant. */
export async function findSetback(
  sql: Pick<Sql, 'get'>,
  own: OwnChain,
  { name, where }: { readonly name: string; readonly where: string },
): Promise<Setback | null> {
  const end = own.end();
  if (end?.agent !== name) return null;
  const known = await sql.get<ChainHead & { readonly id: number; readonly ledger: string }>(KNOWN, { name });
  if (known?.ledger !== end.chain || known.id !== end.number) {
    if (end.where !== where) return null;
    const isFree = known === undefined && !(await sql.get(IS_USED, { number: end.number }));
    return { fromSeq: 0, end, isUnknown: true, isWhole: isFree && own.heads()[0]?.seq === 1 };
  }
  const { id: agent, seq, hash } = known;
  const seqOf = async (text: string, params = {}): Promise<number | null> =>
    (await sql.get<{ readonly seq: number | null }>(text, { agent, ...params }))?.seq ?? null;
  const lastHere = (heads: readonly ChainHead[]): Promise<number | null> =>
    seqOf(LAST_HERE, { seqs: heads.map((head) => head.seq), hashes: heads.map((head) => head.hash) });
  const isHead = (head: ChainHead): boolean => head.seq === seq && head.hash === hash;
  if (isHead(end) || (await lastHere([end])) === end.seq) return null;
  if (seq > end.seq && ((await seqOf(FIRST_HERE)) ?? Infinity) > end.seq) return null;
  const heads = own.heads();
  // With nothing there, it was being brought back when that was interrupted.
  if (seq === 0 ? heads[0]?.seq === 1 : heads.some(isHead))
    return { fromSeq: seq, end, isUnknown: false, isWhole: true };
  let fromSeq: number | null = null;
  for (let to = heads.length; to > 0 && fromSeq === null; to -= AT_ONCE)
    fromSeq = await lastHere(heads.slice(Math.max(0, to - AT_ONCE), to));
  return { fromSeq: fromSeq ?? Math.min(seq, end.seq - 1), end, isUnknown: false, isWhole: false };
}

/* ---- Waiting for the others ---- */

/** Other agents that were running in that state, and have not been heard of since, or are bringing back theirs: how many, and how far they are. */
const OTHERS = `
SELECT count(*) AS n, coalesce(sum(seq), 0) AS seqs FROM agents
 WHERE name <> :name AND running AND started_at IS NOT NULL AND (bringing OR seen_at < :since::bigint)`;

/** Longer than a running agent takes to connect again. */
const HEARD_WITHIN_MS = 15_000;
const LOOK_EVERY_MS = 250;
/** Agents that bring back theirs at the same time wait for each other's rows in turn. */
const NEXT_ROW_MS = 25;

/** A moment later. False if there is nobody to wait for any longer. @param isLost what another agent has, whom the database may not know any more */
export type Wait = (isLost?: boolean) => Promise<boolean>;

/** For the other agents of a database that went back: no longer than 15 seconds in which none of them gets further. */
export async function waitForOthers(
  sql: Pick<Sql, 'get'>,
  name: string,
  clock: Pick<Clock, 'monotonic' | 'sleep'>,
  ended: AbortSignal,
): Promise<Wait> {
  const { now: since = 0 } = (await sql.get<{ now: number }>(`SELECT ${NOW} AS now`)) ?? {};
  let until = clock.monotonic() + HEARD_WITHIN_MS;
  let known: number | null = null;
  return async (isLost = false) => {
    const { n = 0, seqs = 0 } = (await sql.get<{ n: number; seqs: number }>(OTHERS, { name, since })) ?? {};
    if (n === 0 && !isLost) return false;
    if (known !== null && seqs !== known) until = clock.monotonic() + HEARD_WITHIN_MS;
    known = seqs;
    if (clock.monotonic() >= until) return false;
    await clock.sleep(isLost ? NEXT_ROW_MS : LOOK_EVERY_MS, ended);
    return true;
  };
}

/* ---- Bringing back what is missing ---- */

/** Brings back what can be, and records what became of it. @returns that, as the ledger stores it */
export async function bringBack(
  { fromSeq, end, isWhole: mayBeWhole }: Setback,
  writing: Writing & { readonly now: number },
  { own, sql, wait }: { readonly own: OwnChain; readonly sql: Connection; readonly wait: Wait },
): Promise<string> {
  const engine = new PostgresEngine(
    writing,
    postgresReader((work) => work(sql)),
    sql,
  );
  const core = new LedgerCore(engine);
  // The tables may be of an older schema.
  await core.start();
  let isWhole = mayBeWhole;
  if (isWhole) {
    await blankOwn(sql, writing.session.agent, own);
    try {
      await bringForward(core, own.commitsBehind(fromSeq), { writing, sql, wait });
      await core.run([['merge', [{ ledger: null, at: writing.now }]]]);
    } catch (error) {
      if (engine.faultOf(error) !== 'row') throw error;
      isWhole = false;
    }
  }
  const keptAs = isWhole ? null : own.keepAside();
  const because = toMessage({
    is: 'wentBack',
    where: writing.where,
    from: fromSeq,
    to: end.seq,
    isWhole,
    keptAs,
  });
  const restored = {
    record: 'restored',
    because,
    fromSeq,
    isWhole: isWhole || undefined,
    at: writing.now,
  } as const;
  const [[done]] = await core.run([['record', [restored]]]);
  if (isFault(done)) throw done.fault;
  return because;
}

type Commits = readonly (readonly JournalLine[])[];

/** Entries that are brought back in one transaction. */
const TOGETHER = 500;

/**
 * The lines that are missing are recorded as they are, and folded, as in a move. Where they are about rows of other agents, which may be bringing back
 * theirs, it waits for those as long as there is hope. What was lost with an agent that does not come is passed over. Documents that wait fail if another
 * agent took their bytes meanwhile.
 */
async function bringForward(
  core: LedgerCore,
  commits: Iterable<readonly JournalLine[]>,
  { writing, sql, wait }: { readonly writing: Writing; readonly sql: Pick<Sql, 'all'>; readonly wait: Wait },
): Promise<void> {
  let isHopeful = true;
  const bring = async (some: Commits): Promise<void> => {
    for (let left = some; left.length > 0;) {
      const ready = isHopeful ? await readyOf(left, sql, writing) : left.length;
      if (ready > 0) await core.follow([left.slice(0, ready).flat()]);
      else isHopeful = await wait(true);
      left = left.slice(ready);
    }
  };
  let some: (readonly JournalLine[])[] = [];
  for (const commit of commits) {
    some.push(commit);
    if (some.reduce((sum, { length }) => sum + length, 0) < TOGETHER) continue;
    await bring(some);
    some = [];
  }
  await bring(some);
}

const MISSING = `SELECT r.name, r.id FROM unnest(:names::text[], :ids::bigint[]) AS r (name, id)
  WHERE CASE r.name WHEN 'documents' THEN NOT EXISTS (SELECT FROM documents t WHERE t.id = r.id)
                    WHEN 'files' THEN NOT EXISTS (SELECT FROM files t WHERE t.id = r.id)
                    WHEN 'endpoints' THEN NOT EXISTS (SELECT FROM endpoints t WHERE t.id = r.id)
                    ELSE NOT EXISTS (SELECT FROM folders t WHERE t.id = r.id) END`;

/** How many of the commits come before the first one about a row that is not there. */
async function readyOf(
  commits: Commits,
  sql: Pick<Sql, 'all'>,
  { session, name: self }: Writing,
): Promise<number> {
  const about = commits.map((commit) => othersIn(commit, session.agent * CHAIN, self));
  const wanted = [...new Set(about.flat())].map((key) => key.split(' ') as [string, string]);
  if (wanted.length === 0) return commits.length;
  const [names, ids] = [wanted.map(([name]) => name), wanted.map(([, id]) => Number(id))];
  const rows = await sql.all<{ readonly name: string; readonly id: number }>(MISSING, { names, ids });
  const missing = new Set(rows.map(({ name, id }) => `${name} ${id}`));
  const ready = commits.findIndex((commit, i) => {
    for (const { kind, facts } of commit) {
      if (kind === 'endpoint') missing.delete(`endpoints ${Number(facts['endpoint'])}`);
      if (kind === 'folder') missing.delete(`folders ${folderIn(Number(facts['folder']), self)}`);
    }
    return about[i]?.some((key) => missing.has(key));
  });
  return ready < 0 ? commits.length : ready;
}

/** Rows of other agents, and those that all share. */
function othersIn(commit: readonly JournalLine[], base: number, name: string): readonly string[] {
  const work = { base, name, id: (number: number) => (number < CHAIN ? number + base : number) };
  const isOwn = (id: number): boolean => id >= base && id < base + CHAIN;
  return commit.flatMap((recorded) => {
    const entry = fromJournal(recorded);
    const { endpoints = [], documents = [], files = [] } = rowsOf(work, entry);
    const folders = entry.kind === 'admitted' || entry.kind === 'file' ? [folderIn(entry.folder, name)] : [];
    return [
      ...endpoints.map((id) => `endpoints ${id}`),
      ...documents.filter((id) => !isOwn(id)).map((id) => `documents ${id}`),
      ...files.filter((id) => !isOwn(id)).map((id) => `files ${id}`),
      ...folders.map((id) => `folders ${id}`),
    ];
  });
}

interface Erasure {
  readonly id: number;
  readonly first: number;
  readonly last: number;
}
const ERASURES = 'SELECT id, first, last FROM erasures WHERE agent = :agent ORDER BY id';
const ERASED = 'DELETE FROM erasures WHERE agent = :agent AND id <= :id';

/** Blanks in an agent's own chain what any agent erased there. */
export async function blankOwn(
  sql: Pick<Sql, 'all' | 'run'>,
  agent: number,
  own: OwnChain | undefined,
): Promise<void> {
  const rows = await sql.all<Erasure>(ERASURES, { agent });
  const last = rows.at(-1);
  if (last === undefined) return;
  own?.erase(rows.map(({ first, last: to }) => [first, to]));
  await sql.run(ERASED, { agent, id: last.id });
}
