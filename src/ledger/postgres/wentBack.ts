import { count, counted } from '../../core/domain/words.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { ChainMemory, Issued, RememberedCommit } from './chainMemory.ts';
import type { Connection } from './connection.ts';
import * as SQL from './sql/wentBack.ts';
import type { Transaction } from './transaction.ts';

/** What this agent had committed and the database no longer has. */
export interface Setback {
  /** The last entry of this agent's chain that the database still has; 0: none. */
  readonly fromSeq: number;
  readonly toSeq: number;
  readonly commits: number;
  /** One per image. */
  readonly issued: readonly Issued[];
  /** When the loss was found, by the database's clock. */
  readonly since: string;
}

const BATCH = 500;
/** Longer than a running agent takes to reconnect. */
const HEARD_WITHIN_MS = 15_000;
const LOOK_EVERY_MS = 250;

const PERHAPS_SENT =
  'The database went back to before this was sent; it may have arrived, and is sent again.';

/**
 * Checks whether the database has everything that this agent committed. If not, records the names issued and the images
 * sent, before other agents can see that this agent is connected again.
 */
export async function findSetback(
  connection: Connection,
  memory: ChainMemory,
  agent: string,
  where: string,
): Promise<Setback | null> {
  const known = await connection.get<{ id: number; chain: string }>(SQL.KNOWN, { name: agent });
  const lastHere = async (commits: readonly Pick<RememberedCommit, 'seq' | 'hash'>[]): Promise<number> => {
    const [seqs, hashes] = [commits.map(({ seq }) => seq), commits.map(({ hash }) => hash)];
    const params = { agentId: known?.id ?? 0, seqs, hashes };
    return (await connection.get<{ seq: number | null }>(SQL.LAST_HERE, params))?.seq ?? 0;
  };
  const { last } = memory;
  if (last && last.chain === known?.chain && (await lastHere([last])) === last.seq) return null;
  const remembered = await memory.read();
  const toSeq = remembered?.commits.at(-1)?.seq;
  if (!remembered || toSeq === undefined || remembered.of.agent !== agent) return null;
  const isSameChain = remembered.of.chain === known?.chain;
  // Connected to another database on purpose.
  if (!isSameChain && remembered.of.where !== where) return null;
  const lost: RememberedCommit[] = [];
  let fromSeq = 0;
  for (let end = remembered.commits.length; end > 0 && fromSeq === 0; end -= BATCH) {
    const some = remembered.commits.slice(Math.max(0, end - BATCH), end);
    if (isSameChain) fromSeq = await lastHere(some);
    const at = some.findLastIndex(({ seq }) => seq === fromSeq);
    lost.unshift(...some.slice(at + 1));
  }
  if (lost.length === 0) return null;
  const issued = oneOfEach(lost.flatMap((commit) => commit.issued));
  await tell(connection, issued);
  const { now = '' } = (await connection.get<{ now: string }>(SQL.NOW)) ?? {};
  return { fromSeq, toSeq, commits: lost.length, issued, since: now };
}

function oneOfEach(all: readonly Issued[]): Issued[] {
  const each = new Map<string, Issued>();
  for (const issued of all) {
    const key = JSON.stringify([issued.endpoint.baseUrl, issued.endpoint.uid, issued.sha256]);
    const before = each.get(key);
    const seq = before?.seq ?? issued.seq;
    each.set(key, before ? { ...before, seq, isSent: before.isSent || issued.isSent } : issued);
  }
  return [...each.values()];
}

async function tell(connection: Connection, issued: readonly Issued[]): Promise<void> {
  await connection.exec('BEGIN');
  try {
    for (const some of inBatches(issued)) {
      const { baseUrls, uids, sha256s } = keysOf(some);
      await connection.run(SQL.ENSURE_ENDPOINTS, { baseUrls, uids });
      const [names, sents] = [some.map(({ name }) => name), some.map(({ isSent }) => String(isSent))];
      await connection.run(SQL.REMEMBER, { baseUrls, uids, sha256s, names, sents });
      await connection.run(SQL.GAVE_SEQS, { baseUrls, uids, seqs: some.map(({ seq }) => seq) });
    }
    await connection.exec('COMMIT');
  } catch (error) {
    await connection.exec('ROLLBACK').catch(() => {});
    throw error;
  }
}

/**
 * Waits until every other agent that may also have lost commits has recorded them: nothing is named or sent before. An
 * agent that is gone does not delay the others for long.
 */
export async function untilAllHaveTold(
  connection: Connection,
  { since }: Setback,
  agentId: number,
  clock: Clock,
  keepLease: () => Promise<void>,
): Promise<void> {
  const until = clock.monotonic() + HEARD_WITHIN_MS;
  while (clock.monotonic() < until) {
    if (!(await connection.get(SQL.UNHEARD, { agentId, since }))) return;
    await clock.sleep(LOOK_EVERY_MS);
    await keepLease();
  }
}

/** Records the missing commits in the history, and marks waiting documents that will be sent again. */
export async function settleSetback(
  sql: Transaction,
  setback: Setback,
  where: string,
  at: number,
): Promise<void> {
  const { fromSeq, issued } = setback;
  sql.emit({ kind: 'restored', because: storyOf(setback, where), fromSeq }, at);
  for (const some of inBatches(issued.filter(({ isSent }) => isSent))) {
    const rows = await sql.all<{ id: number }>(SQL.WAITING_AMONG, keysOf(some));
    await markAsSent(
      sql,
      rows.map(({ id }) => ({ id, bytes: 0, at })),
    );
  }
}

/** Recorded like an upload request whose outcome is unknown. */
export async function markAsSent(
  sql: Transaction,
  documents: readonly { readonly id: number; readonly bytes: number; readonly at: number }[],
): Promise<void> {
  if (documents.length === 0) return;
  const attempts = await sql.nextIds('attempts', documents.length);
  const message = PERHAPS_SENT;
  for (const [index, { id, bytes, at }] of documents.entries()) {
    const attempt = attempts[index] as number;
    sql.emit({ kind: 'began', attempt, document: id, bytes }, at);
    sql.emit({ kind: 'ended', attempt, document: id, outcome: 'unknown', httpStatus: null, message }, at);
    const flags = { answerLost: true, serverError: false };
    const why = { notBefore: 0, reason: 'INTERRUPTED', message };
    sql.emit({ kind: 'moved', documents: [id], state: 'queued', how: 'later', ...why, ...flags }, at);
  }
}

/** A complete sentence. */
export function storyOf(
  { commits, fromSeq, toSeq }: Pick<Setback, 'commits' | 'fromSeq' | 'toSeq'>,
  where: string,
): string {
  const lacks = `${counted(commits, 'commit', 'commits')} of this agent, behind entry ${count(fromSeq)} and up to entry ${count(toSeq)} of its history`;
  return `The database ${where} went back: it lacks ${lacks}.`;
}

/** What was lost and what follows from it: complete sentences, for people. */
export function reportOf(setback: Setback, where: string): string {
  const { issued } = setback;
  const sent = issued.filter(({ isSent }) => isSent).length;
  const named = counted(issued.length, 'image that was named or sent', 'images that were named or sent');
  const marked = `${count(sent)} may have arrived and ${sent === 1 ? 'is' : 'are'} marked`;
  return `${storyOf(setback, where)} Of ${named} meanwhile, ${marked}; each keeps its name.`;
}

function keysOf(issued: readonly Issued[]) {
  return {
    baseUrls: issued.map(({ endpoint }) => endpoint.baseUrl),
    uids: issued.map(({ endpoint }) => endpoint.uid),
    sha256s: issued.map(({ sha256 }) => sha256),
  };
}

function* inBatches(issued: readonly Issued[]): Generator<readonly Issued[]> {
  for (let at = 0; at < issued.length; at += BATCH) yield issued.slice(at, at + BATCH);
}
