import type { JournalHead } from '../../core/ports/journal.ts';
import { count } from '../../core/domain/words.ts';
import { joined } from '../journal/chains.ts';
import { isBad, parseLine } from '../journal/line.ts';
import { Verification, type JournalVerification, type KeptHead } from '../journal/verification.ts';
import type { Target } from './connection.ts';
import { openReading } from './openReports.ts';
import { Places } from './places.ts';
import * as SQL from './sql/verify.ts';
import { compareStates } from './verifyStates.ts';
import type { Sql } from './statements.ts';

export interface FleetVerification {
  /** For all agents together; a finding names the agent whose chain it is about. The head is this agent's. */
  readonly journal: JournalVerification;
  readonly ledger: {
    readonly findings: readonly string[];
    readonly documents: number;
    /** Documents whose name and bytes are in existing entries, so that their rows could be compared. */
    readonly compared: number;
    readonly head: JournalHead | null;
  };
}

interface Chain extends JournalHead {
  readonly id: number;
  readonly name: string;
}

interface VerifiedChain {
  readonly journal: JournalVerification;
  readonly findings: readonly string[];
  readonly compared: number;
}

interface Line {
  readonly seq: number;
  readonly entry: string;
  readonly hash: string;
  readonly personal: string;
}

const BATCH = 1_000;

/**
 * Verifies the chain of every agent, and reports everything in it, or in the documents that it names, that differs from
 * what receiptd wrote. May run beside the agents: each chain is read as of one moment.
 * @throws ReceiptdError as `openPostgresReports`
 */
export async function verifyPostgresLedger(
  target: Target,
  agent: string,
  kept: KeptHead | null,
): Promise<FleetVerification> {
  const ledger = await openReading(target, new Places(agent));
  try {
    const chains = await ledger.read((sql) => sql.all<Chain>(SQL.CHAINS));
    const found: (VerifiedChain & { readonly name: string })[] = [];
    for (const chain of chains) {
      const isMeant = kept !== null && (kept.ledger ?? ownOf(chains, agent)?.ledger) === chain.ledger;
      const verified = await ledger.read((sql) => verifyChain(sql, chain, isMeant ? kept : undefined));
      found.push({ name: chain.name, ...verified });
    }
    const unmet =
      kept?.ledger === undefined || chains.some((chain) => chain.ledger === kept.ledger)
        ? []
        : [`The kept head is from the chain ${kept.ledger}, which no agent of this ledger has.`];
    const { documents, isMiscounted } = await ledger.read(countsOf);
    const strayed = await ledger.read((sql) => atOneMoment(sql, () => statesOf(sql)));
    const miscounted = isMiscounted
      ? ['The displayed counts of documents and files do not match the rows.']
      : [];
    const own = ownOf(chains, agent);
    const head = own ? { ledger: own.ledger, seq: own.seq, hash: own.hash } : null;
    const compared = found.reduce((sum, each) => sum + each.compared, 0);
    const journal = joined(found, head);
    return {
      journal: { ...journal, remarks: [...journal.remarks, ...remarkOn(documents, compared)] },
      ledger: {
        findings: [...unmet, ...found.flatMap(({ findings }) => findings), ...strayed, ...miscounted],
        documents,
        compared,
        head,
      },
    };
  } finally {
    await ledger.close();
  }
}

function ownOf(chains: readonly Chain[], agent: string): Chain | undefined {
  return chains.find(({ name }) => name === agent);
}

async function verifyChain(
  sql: Sql,
  { id, name, ledger }: Chain,
  kept: KeptHead | undefined,
): Promise<VerifiedChain> {
  // In one snapshot, a concurrent erasure is either blank and accounted for, or not visible at all.
  return atOneMoment(sql, async () => {
    const archived = await sql.get<{ seq: number; hash: string; file: string }>(SQL.ARCHIVED, { id });
    const verification = new Verification(kept, archived && { ledger, ...archived });
    const findings: string[] = [];
    let compared = 0;
    const head = await sql.get<{ seq: number; hash: string }>(SQL.HEAD_OF, { id });
    let last: { readonly seq: number; readonly hash: string } = archived ?? { seq: 0, hash: '' };
    for (;;) {
      const lines = await sql.all<Line>(SQL.LINES, { id, after: last.seq, limit: BATCH });
      const named = new Named();
      for (const { seq, entry, hash, personal } of lines) {
        const parsed = parseLine(Buffer.from(`${entry}\t${hash}\t${personal}`));
        if (isBad(parsed)) verification.bad(parsed);
        else {
          verification.line(parsed);
          named.meet(parsed.entry);
          const { kind, seq: at, facts } = parsed.entry;
          const { because } = facts;
          if (kind === 'restored' && typeof because === 'string' && !(kept && kept.seq >= at))
            findings.push(`Agent ${name}: entry ${at} says: ${because}`);
        }
        last = { seq, hash };
      }
      findings.push(...(await named.differences(sql)));
      compared += named.count;
      if (lines.length < BATCH) break;
    }
    if (head && (head.seq !== last.seq || head.hash !== last.hash))
      findings.push(
        `Agent ${name}: its row holds entry ${head.seq} as the last of its chain ${ledger}, and the last one there is ${last.seq === 0 ? 'none' : last.seq}.`,
      );
    return { journal: verification.end(0), findings, compared };
  });
}

async function atOneMoment<T>(sql: Sql, look: () => Promise<T>): Promise<T> {
  await sql.run('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  try {
    return await look();
  } finally {
    await sql.run('ROLLBACK').catch(() => {});
  }
}

async function statesOf(sql: Sql): Promise<string[]> {
  const mayBeSilent = (await sql.get(SQL.MAY_BE_SILENT)) !== undefined;
  return compareStates(sql, { mayBeSilent });
}

/** Documents that entries name, to be compared with the rows. */
class Named {
  readonly #ids: number[] = [];
  readonly #names: string[] = [];
  readonly #hashes: string[] = [];

  meet({ kind, facts }: { readonly kind: string; readonly facts: Readonly<Record<string, unknown>> }): void {
    const { document, name, sha256 } = facts;
    if (kind !== 'named' || typeof document !== 'number') return;
    this.#ids.push(document);
    this.#names.push(String(name));
    this.#hashes.push(String(sha256));
  }

  get count(): number {
    return this.#ids.length;
  }

  async differences(sql: Sql): Promise<string[]> {
    if (this.#ids.length === 0) return [];
    const params = { ids: this.#ids, names: this.#names, hashes: this.#hashes };
    const rows = await sql.all<{ id: number; isThere: boolean }>(SQL.NAMED_OTHERWISE, params);
    return rows.map(({ id, isThere }) =>
      isThere
        ? `Document ${id} in the ledger does not match the history.`
        : `Document ${id} is in the history but missing from the ledger.`,
    );
  }
}

async function countsOf(sql: Sql): Promise<{ documents: number; isMiscounted: boolean }> {
  const [counted, miscounted] = await Promise.all([
    sql.get<{ count: number }>(SQL.COUNT),
    sql.get(SQL.MISCOUNTED),
  ]);
  return { documents: counted?.count ?? 0, isMiscounted: miscounted !== undefined };
}

/** States what was not verified. */
function remarkOn(documents: number, compared: number): string[] {
  const silent = documents - compared;
  if (silent <= 0) return [];
  const who = silent === 1 ? 'document, which was' : 'documents, which were';
  const where = 'moved here from a ledger of one machine, or named in a month that was archived';
  return [
    `The history that is here says nothing of ${count(silent)} ${who} ${where}: their old journals and the archives do.`,
  ];
}
