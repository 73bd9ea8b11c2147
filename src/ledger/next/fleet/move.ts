import { ReceiptdError } from '../../../core/domain/errors.ts';
import { checkedLines, damagedJournal } from '../../journal/read.ts';
import type { ChainHead, MovedEntry } from '../engines/chain.ts';
import type { MovedChain } from '../engines/member.ts';
import { inParts } from '../engines/sqlite.ts';
import { CHAIN } from '../entries.ts';
import type { OpenAgent } from './open.ts';

/** Reason of a waiting document whose bytes or name another ledger had brought into the same endpoint. */
export const TWIN = 'TWIN';

const HEAD = 'SELECT seq, hash FROM agents WHERE id = :agent';
const HASH = 'SELECT seq, hash FROM chain WHERE agent = :agent AND seq = :seq';
const TWINS = `SELECT d.id, b.id AS "sameBytes" FROM documents d
  LEFT JOIN documents b ON b.endpoint_id = d.endpoint_id AND b.sha256 = d.sha256 AND b.twin = 0
 WHERE d.twin <> 0 AND d.id > :first AND d.id < :next AND d.state = 'queued' ORDER BY d.id`;

/**
 * With which an agent is opened to which a journal is moved.
 * @throws ReceiptdError JOURNAL_DAMAGED
 */
export function chainIn(journalPath: string): MovedChain {
  for (const first of linesBehind(journalPath, 0)) {
    const { ledger } = first.facts;
    if (typeof ledger === 'string') return { ledger, first };
    break;
  }
  throw damagedJournal(journalPath, 1, 'it is not the start of a ledger');
}

/**
 * Brings an agent's chain and the shared tables forward from a journal file, whose lines stay as they are. A move that was interrupted goes on behind
 * the chain's last line. Then waiting documents fail that another agent's ledger has, too: nobody can say which was meant.
 * @param agent opened with `chainIn` the journal
 * @returns how many entries were moved, and how many documents failed
 * @throws ReceiptdError JOURNAL_DAMAGED; MOVE_REFUSED if the agent has another chain, or went on with this one before all of it was here
 */
export async function moveJournal(
  journalPath: string,
  { core, member, read }: Pick<OpenAgent, 'core' | 'member' | 'read'>,
): Promise<{ readonly moved: number; readonly failed: number }> {
  const { agent } = member.session;
  const head = await read((sql) => sql.get<ChainHead>(HEAD, { agent }));
  if (head === undefined) throw new Error('the row of this agent is missing');
  const anchor = anchorOf(journalPath, head.seq);
  const there = await read((sql) => sql.get<ChainHead>(HASH, { agent, seq: anchor.seq }));
  if (there?.hash !== anchor.hash)
    throw new ReceiptdError('MOVE_REFUSED.agentNameTaken', { agent: member.self.name });
  const moved = await core.follow(inParts(linesBehind(journalPath, head.seq)));
  return { moved, failed: await failTwins({ core, member, read }) };
}

async function failTwins({
  core,
  member,
  read,
}: Pick<OpenAgent, 'core' | 'member' | 'read'>): Promise<number> {
  const at = member.now;
  const first = member.session.agent * CHAIN;
  // What was being sent may have arrived.
  await core.run([['recover', [{ at }]]]);
  const twins = await read((sql) =>
    sql.all<{ readonly id: number; readonly sameBytes: number | null }>(TWINS, {
      first,
      next: first + CHAIN,
    }),
  );
  if (twins.length === 0) return 0;
  const items = twins.map(({ id, sameBytes }) => ({
    move: 'fail' as const,
    documents: [id],
    at,
    reason: TWIN,
    message:
      sameBytes === null
        ? 'Another agent has an image of this name; retrying sends this one as well.'
        : `Another agent has the same image, as document ${sameBytes}; retrying sends this one as well.`,
  }));
  await core.run([['move', items]]);
  return twins.length;
}

/** The journal's line of this number, or its last one if it ends before. */
function anchorOf(journalPath: string, seq: number): ChainHead {
  let last: ChainHead = { seq: 0, hash: '' };
  for (const { parsed } of checkedLines(journalPath, seq)) {
    if (parsed === null) continue;
    if (parsed.entry.seq > seq) break;
    last = parsed.entry;
  }
  return last;
}

/** Whole commits only: the last one may have been interrupted. */
function* linesBehind(journalPath: string, seq: number): Generator<MovedEntry> {
  let commit: MovedEntry[] = [];
  for (const { raw, parsed, fault } of checkedLines(journalPath, seq)) {
    if (fault !== undefined) throw damagedJournal(journalPath, fault.after + 1, fault.what);
    if (parsed === null) continue;
    const [entry = '', , personal = ''] = (raw.bytes?.toString() ?? '').split('\t');
    if (parsed.entry.seq > seq) commit.push({ ...parsed.entry, line: { entry, personal } });
    if (parsed.isPart) continue;
    yield* commit;
    commit = [];
  }
}
