import type { ChainMemory, RememberedCommit } from '../../postgres/chainMemory.ts';
import type { Sql } from '../../postgres/statements.ts';

/** What a database lacks that went back: it was restored from a backup, or a standby that was behind took over. */
export interface Setback {
  /** The last entry of this agent that it has; 0: none. */
  readonly fromSeq: number;
  /** The last one that it should have. */
  readonly toSeq: number;
  readonly commits: number;
}

const KNOWN = 'SELECT id, ledger FROM agents WHERE name = :name';
const LAST_HERE = `
SELECT max(c.seq) AS seq FROM unnest(:seqs::bigint[], :hashes::text[]) AS r (seq, hash) JOIN chain c ON c.agent = :agent AND c.seq = r.seq AND c.hash = r.hash`;

/** Compares the agent's chain with what this machine remembers of it. Null: nothing is missing, or another database is meant. */
export async function findSetback(
  sql: Sql,
  memory: ChainMemory,
  { name, where }: { readonly name: string; readonly where: string },
): Promise<Setback | null> {
  const known = await sql.get<{ readonly id: number; readonly ledger: string }>(KNOWN, { name });
  const lastHere = async (commits: readonly Pick<RememberedCommit, 'seq' | 'hash'>[]): Promise<number> => {
    const of = { seqs: commits.map(({ seq }) => seq), hashes: commits.map(({ hash }) => hash) };
    return (
      (await sql.get<{ readonly seq: number | null }>(LAST_HERE, { agent: known?.id ?? 0, ...of }))?.seq ?? 0
    );
  };
  const { last } = memory;
  if (last && last.chain === known?.ledger && (await lastHere([last])) === last.seq) return null;
  const remembered = await memory.read();
  const toSeq = remembered?.commits.at(-1)?.seq;
  if (!remembered || toSeq === undefined || remembered.of.agent !== name) return null;
  const isSameChain = remembered.of.chain === known?.ledger;
  if (!isSameChain && remembered.of.where !== where) return null;
  const fromSeq = isSameChain ? await lastHere(remembered.commits) : 0;
  const commits = remembered.commits.filter(({ seq }) => seq > fromSeq).length;
  return commits === 0 ? null : { fromSeq, toSeq, commits };
}
