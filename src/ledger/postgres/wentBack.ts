import { count, counted } from '../../core/domain/words.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { ChainMemory, Issued, RememberedCommit } from './chainMemory.ts';
import type { Connection } from './connection.ts';
import * as SQL from './sql/wentBack.ts';
import type { Transaction } from './transaction.ts';

/** What this agent had committed, and the database does not know. */
export interface Setback {
  /** The last entry of this agent's chain that is still there; 0: none. */
  readonly fromSeq: number;
  readonly toSeq: number;
  readonly commits: number;
  /** One for each image. */
  readonly issued: readonly Issued[];
  /** When it was found, by the database's clock. */
  readonly since: string;
}

const BATCH = 500;
/** Longer than any agent that runs takes to be connected again. */
const HEARD_WITHIN_MS = 15_000;
const LOOK_EVERY_MS = 250;

const PERHAPS_SENT =
  'The database went back to before this was sent; it may have arrived, and is sent again.';

/**
 * Looks whether the database has all that this agent committed. Where it does not, it is told which names were issued and which
 * images were sent, before anyone can know that this agent is connected again.
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
  // Another database, on purpose.
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
 * Until every other agent that may have lost something as well has told it: nothing is named or sent before. An agent that is gone
 * keeps nobody waiting for long.
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

/** Says in the history what is missing, and marks what waits to be sent once more. */
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

/** As an upload request of which nobody knows the end. */
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

/** A whole sentence. */
export function storyOf({ commits, fromSeq, toSeq }: Setback, where: string): string {
  const lacks = `${counted(commits, 'commit', 'commits')} of this agent, behind entry ${count(fromSeq)} and up to entry ${count(toSeq)} of its history`;
  return `The database ${where} went back: it lacks ${lacks}.`;
}

/** A whole sentence, for people. */
export function consequencesOf({ issued }: Setback): string {
  const sent = issued.filter(({ isSent }) => isSent).length;
  const named = counted(issued.length, 'image that was named or sent', 'images that were named or sent');
  return `Of ${named} meanwhile, ${count(sent)} may have arrived and ${sent === 1 ? 'is' : 'are'} marked; each keeps its name.`;
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
