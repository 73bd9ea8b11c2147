import type { JournalHead } from '../../core/ports/journal.ts';
import { NO_HASH } from '../journal/line.ts';
import {
  joined,
  Verification,
  type ArchivedEnd,
  type JournalVerification,
  type KeptHead,
} from '../journal/verify.ts';
import { Connector, type Target } from '../postgres/connection.ts';
import { ledgerFailure } from '../postgres/failure.ts';
import type { Sql } from '../postgres/statements.ts';
import { chainEntry, linesBehind, type ChainHead, type ChainRow } from '../postgres/chain.ts';
import {
  compareFolded,
  documentsIn,
  inScratch,
  type LedgerComparison,
  type Extent,
  misfitFinding,
} from '../sqlite/compare.ts';
import { IN_ORDER, IS_MEANT, postgresReader } from '../postgres/engine.ts';
import { requireTables } from '../postgres/tables.ts';
import type { RecordedEntry } from '../engine.ts';
import { CHAIN, type OthersRange } from '../entries.ts';
import { factOf, type WhyFact } from '../../core/domain/why.ts';

interface VerifiedChain extends JournalHead {
  readonly id: number;
  readonly name: string;
}

const CHAINS = 'SELECT id, name, ledger, seq, hash FROM agents ORDER BY name';

/** The end of the part of each chain that is in files. */
const ARCHIVED = `
SELECT DISTINCT ON (r.agent) r.agent, a.ledger, r.to_seq AS seq, r.to_hash AS hash, r.file, max(r.to_ord) OVER () AS ord
  FROM archives r JOIN agents a ON a.id = r.agent ORDER BY r.agent, r.to_seq DESC`;
/** The first line of each chain behind a place in their order; none: the next one. */
const FIRSTS = `
SELECT a.id AS agent, coalesce((SELECT min(c.seq) FROM chain c WHERE c.agent = a.id AND c.ord > :ord), a.seq + 1) AS seq FROM agents a ORDER BY a.id`;

const MEANT = `
SELECT r.agent, r.first, r.last FROM unnest(:agents::integer[], :firsts::bigint[], :lasts::bigint[], :hashes::text[]) AS r (agent, first, last, hash)
 WHERE ${IS_MEANT}`;

interface Archived extends ArchivedEnd {
  readonly agent: number;
  /** The last place of all that were archived. */
  readonly ord: number;
}

/**
 * Verifies the chain of every agent, folds all chains into second tables, and compares every row with the ledger's. Reports everything that differs from
 * what receiptd wrote; a finding names the agent whose chain it is about, and the head is this agent's. Works beside the agents, on one snapshot, in which
 * an erasure is either blank and accounted for, or not visible at all. Chains begin behind what was archived; rows that older entries made are taken as
 * they are.
 * @throws ReceiptdError LEDGER_UNREACHABLE, LEDGER_REFUSED, LEDGER_MISSING, LEDGER_OLDER, LEDGER_NEWER, OUTPUT_UNWRITABLE
 */
export async function verifyPostgresLedger(
  target: Target,
  agent: string,
  kept: KeptHead | null,
  signal?: AbortSignal,
): Promise<{ readonly journal: JournalVerification; readonly ledger: LedgerComparison }> {
  const connector = new Connector(target, { answerWithinMs: 0 });
  const { where } = connector;
  const connection = await connector.connect(`receiptd ${agent} verifying`);
  try {
    const sql = failingAsLedger(connection, where, signal);
    await sql.all('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    await requireTables(sql, where);
    return await verifyChains(sql, agent, kept);
  } finally {
    await connection.close();
  }
}

type Reads = Pick<Sql, 'get' | 'all'>;

/** What the database fails with must not look like a failure of the scratch directory. Lists nothing more once `signal` aborts. */
function failingAsLedger(sql: Sql, where: string, signal?: AbortSignal): Reads {
  const fail = (error: unknown): never => {
    throw ledgerFailure(error, where);
  };
  return {
    get: (text, params) => sql.get<never>(text, params).catch(fail),
    all: async (text, params) => {
      signal?.throwIfAborted();
      return sql.all<never>(text, params).catch(fail);
    },
  };
}

async function verifyChains(
  sql: Reads,
  agent: string,
  kept: KeptHead | null,
): Promise<{ readonly journal: JournalVerification; readonly ledger: LedgerComparison }> {
  const chains = await sql.all<VerifiedChain>(CHAINS);
  const own = chains.find(({ name }) => name === agent);
  const verifications = new Map<number, Verification>();
  const keptOf = ({ ledger }: VerifiedChain): KeptHead | undefined =>
    kept !== null && (kept.ledger ?? own?.ledger) === ledger ? kept : undefined;
  const archived = new Map((await sql.all<Archived>(ARCHIVED)).map((end) => [end.agent, end]));
  for (const chain of chains)
    verifications.set(chain.id, new Verification(keptOf(chain), archived.get(chain.id)));
  const said: WhyFact[] = [];
  for (const chain of chains)
    said.push(...(await readChain(sql, chain, verifications, keptOf(chain), archived.get(chain.id))));
  const found = chains.map(({ id, name }) => ({
    name,
    journal: (verifications.get(id) as Verification).end(0),
  }));
  const unmet: readonly WhyFact[] =
    kept?.ledger === undefined || chains.some(({ ledger }) => ledger === kept.ledger)
      ? []
      : [{ is: 'keptOfNoAgent', ledger: kept.ledger }];
  const reader = postgresReader((work) => work(sql));
  const extent = await extentBehind(sql, archived);
  const { misfits, differences, rows } = await inScratch(null, (dir) =>
    compareFolded(reader, inOrder(sql), dir, extent),
  );
  const nameOf = (base = 0): string =>
    chains.find(({ id }) => id * CHAIN === base)?.name ?? `${base / CHAIN}`;
  const head = own ? { ledger: own.ledger, seq: own.seq, hash: own.hash } : null;
  return {
    journal: joined(found, head),
    ledger: {
      findings: [
        ...unmet,
        ...said,
        ...misfits.map((misfit): WhyFact => ({
          is: 'ofAgent',
          agent: nameOf(misfit.base),
          finding: misfitFinding(misfit),
        })),
        ...differences,
      ],
      documents: await documentsIn(reader),
      ...(extent && { compared: rows.documents }),
      head,
    },
  };
}

/** The rows that are made by entries behind everything that was archived, and so changed only by such entries. Undefined: all. */
async function extentBehind(
  sql: Reads,
  archived: ReadonlyMap<number, Archived>,
): Promise<Extent | undefined> {
  const [end] = archived.values();
  if (end === undefined) return undefined;
  const firsts = await sql.all<{ readonly agent: number; readonly seq: number }>(FIRSTS, { ord: end.ord });
  const ranges = firsts.map(({ agent, seq }) => [agent * CHAIN + seq, (agent + 1) * CHAIN] as const);
  const taken = firsts.map(({ agent }) => {
    const toSeq = archived.get(agent)?.seq ?? 0;
    return [agent * CHAIN, agent * CHAIN + toSeq + 1] as const;
  });
  return { ranges, named: {}, taken, areCounted: true };
}

/** Entries of all chains. One that can't be read is a finding about its chain. */
async function* inOrder(sql: Reads): AsyncGenerator<readonly RecordedEntry[]> {
  for (let behind = 0; ;) {
    const rows = await sql.all<ChainRow>(IN_ORDER, { behind });
    const last = rows.at(-1);
    if (last === undefined) return;
    behind = last.ord;
    yield rows.flatMap((row) => chainEntry(row) ?? []);
  }
}

interface Erased {
  readonly agent: number;
  readonly first: number;
  readonly last: number;
}

function meantOf(sql: Reads, ranges: readonly OthersRange[]): Promise<readonly Erased[]> {
  return sql.all<Erased>(MEANT, {
    agents: ranges.map(([agent]) => agent),
    firsts: ranges.map(([, first]) => first),
    lasts: ranges.map(([, , last]) => last),
    hashes: ranges.map(([, , , hash]) => hash),
  });
}

/** @returns what is wrong but not with its lines */
async function readChain(
  sql: Reads,
  { id, name, ledger, seq: ownSeq, hash: ownHash }: VerifiedChain,
  verifications: ReadonlyMap<number, Verification>,
  kept: KeptHead | undefined,
  archived: ChainHead | undefined,
): Promise<WhyFact[]> {
  const verification = verifications.get(id);
  const findings: WhyFact[] = [];
  const find = (finding: WhyFact): void => void findings.push({ is: 'ofAgent', agent: name, finding });
  const isKept = (seq: number): boolean => kept !== undefined && kept.seq >= seq;
  let last: ChainHead = archived ?? { seq: 0, hash: NO_HASH };
  for await (const lines of linesBehind(sql, id, last.seq)) {
    last = lines.at(-1) ?? last;
    for (const { entry, hash, personal } of lines) {
      const parsed = verification?.line(Buffer.from(`${entry}\t${hash}\t${personal}`));
      if (!parsed) continue;
      const { kind, seq, facts } = parsed.entry;
      const { because, others, isWhole } = facts;
      if (kind === 'restored' && isWhole !== true && typeof because === 'string' && !isKept(seq))
        find({ is: 'entrySays', seq, because: factOf(because) ?? because });
      if (kind === 'erased' && Array.isArray(others))
        for (const { agent, first, last } of await meantOf(sql, others))
          verifications.get(agent)?.erasedElsewhere(first, last);
    }
  }
  if (ownSeq !== last.seq || ownHash !== last.hash)
    find({ is: 'lastOfChain', seq: ownSeq, ledger, last: last.seq });
  return findings;
}
