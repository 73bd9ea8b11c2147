import { ReceiptdError } from '../../core/domain/errors.ts';
import { damagedJournal, entryUpTo, firstEntry, readJournal, refuseOlderJournal } from '../journal/read.ts';
import { chainEntry, headOf, linesBehind, type ChainHead, type ChainRow } from '../postgres/chain.ts';
import type { Sql } from '../postgres/statements.ts';
import { IN_ORDER, postgresReader } from '../postgres/engine.ts';
import { inParts } from '../sqlite/engine.ts';
import { compareFolded, type Differences } from '../sqlite/compare.ts';
import type { RecordedEntry } from '../engine.ts';
import { CHAIN, fromJournal, holdId } from '../entries.ts';
import { isFault } from '../../core/messages.ts';
import type { MergeAnswer } from '../steps/fleet.ts';
import type { Member, MovedChain } from './member.ts';

const HASH = 'SELECT seq, hash FROM chain WHERE agent = :agent AND seq = :seq';
const IS_MERGED = `SELECT FROM chain WHERE agent = :agent AND seq > :last AND entry LIKE '%"kind":"shared"%'`;
const FIRST = 'SELECT ord FROM chain WHERE agent = :agent ORDER BY seq LIMIT 1';

/**
 * With which an agent is opened to which a journal is moved.
 * @throws ReceiptdError JOURNAL_DAMAGED, LEDGER_OLDER
 */
export function chainIn(journalPath: string): MovedChain {
  refuseOlderJournal(journalPath);
  const first = firstEntry(journalPath);
  const ledger = first?.facts['ledger'];
  if (first !== null && typeof ledger === 'string') return { ledger, first };
  throw damagedJournal(journalPath, 1, { is: 'notAStart' });
}

/**
 * Brings an agent's chain and the shared tables forward from a journal file, whose lines stay as they are. A move that was interrupted goes on behind
 * the chain's last line.
 * @param member opened with `chainIn` the journal
 * @param upTo entries behind this one are left for later: a commit may still be taken back
 * @returns how many entries were moved
 * @throws ReceiptdError JOURNAL_DAMAGED; MOVE_REFUSED if the journal is another one by now, or the agent went on with its chain
 */
export async function moveJournal(
  journalPath: string,
  member: Member,
  upTo = Infinity,
  onMoved: (count: number) => void = () => {},
): Promise<number> {
  const { agent } = member.session;
  const head = await member.read((sql) => headOf(sql, agent));
  const anchor = lastIn(journalPath, head.seq);
  const there = await member.read((sql) => sql.get<ChainHead>(HASH, { agent, seq: anchor.seq }));
  if (there?.hash !== anchor.hash) throw new ReceiptdError('MOVE_REFUSED.madeAnew');
  let moved = 0;
  const parts = inParts(readJournal(journalPath, head.seq), upTo);
  for (const part of parts) {
    moved += await member.core.follow([part]);
    onMoved(moved);
  }
  return moved;
}

/** Ends a move, once. What was being sent may have arrived. @returns null if that was done before */
export async function endMove(
  { ledger, lastSeq }: { readonly ledger: string; readonly lastSeq: number },
  member: Member,
): Promise<MergeAnswer | null> {
  const { agent } = member.session;
  if (await member.read((sql) => sql.get(IS_MERGED, { agent, last: lastSeq }))) return null;
  const at = member.now;
  await member.core.run([['recover', [{ at }]]]);
  const [[answer]] = await member.core.run([['merge', [{ ledger, at }]]]);
  if (answer === undefined || isFault(answer)) throw answer?.fault ?? new Error('a step answers');
  return answer;
}

/**
 * Folds the journal file into second tables, and compares the agent's rows with them.
 * @param sql in a transaction that sees one moment
 */
export async function compareMoved(
  journalPath: string,
  sql: Pick<Sql, 'get' | 'all'>,
  of: { readonly agent: number; readonly name: string; readonly lastSeq: number },
  scratch: string,
  onCompared: (count: number) => void = () => {},
): Promise<Differences> {
  const { agent, name } = of;
  const base = agent * CHAIN;
  const changed = await changedByOthers(sql, agent);
  const entries = async function* (): AsyncGenerator<readonly RecordedEntry[]> {
    for (const part of inParts(readJournal(journalPath, 0)))
      yield part.map((each) => ({ ...each, base, name }));
    for await (const lines of linesBehind(sql, agent, of.lastSeq))
      yield lines.flatMap((line) => chainEntry({ ...line, name }) ?? []);
  };
  return compareFolded(
    postgresReader((work) => work(sql)),
    entries(),
    scratch,
    {
      ranges: [[base, base + CHAIN]],
      named: { folders: `t.owner = 'agent:${name}'`, holds: `t.agent = ${agent} AND t.paused = 0` },
      except: changed,
      // Decided by what was here before.
      unlike: new Set(['twin']),
      areCounted: false,
    },
    onCompared,
  );
}

/** Ids of the agent's rows that entries of other agents name since it came: they have put back requests of an interrupted move, or acted for people. */
async function changedByOthers(sql: Pick<Sql, 'get' | 'all'>, agent: number): Promise<ReadonlySet<number>> {
  const base = agent * CHAIN;
  const ids = new Set<number>();
  const first = await sql.get<{ readonly ord: number }>(FIRST, { agent });
  for (let behind = first?.ord ?? Infinity; Number.isFinite(behind);) {
    const rows = await sql.all<ChainRow>(IN_ORDER, { behind });
    for (const row of rows) {
      if (row.agent === agent) continue;
      for (const [number] of row.entry.matchAll(/\d{10,}/g)) {
        const id = Number(number);
        if (id >= base && id < base + CHAIN) ids.add(id);
      }
      const recorded = chainEntry(row);
      const entry = recorded && fromJournal(recorded);
      if (entry?.kind === 'released' && entry.of === base)
        ids.add(holdId(entry.scope, entry.key, false, base));
    }
    behind = rows.at(-1)?.ord ?? Infinity;
  }
  return ids;
}

/** The journal's entry of this number, or its last one if it ends before. */
export function lastIn(journalPath: string, upTo = Infinity): ChainHead {
  const { seq, hash } = entryUpTo(journalPath, upTo) ?? { seq: 0, hash: '' };
  return { seq, hash };
}
