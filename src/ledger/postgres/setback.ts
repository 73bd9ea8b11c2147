import { toMessage } from '../../core/domain/why.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { ChainHead } from './chain.ts';
import type { ChainOf, OwnChain } from './ownChain.ts';
import type { Sql } from './statements.ts';
import { NOW } from './tables.ts';

/** What a database lacks that went back: it was restored from a backup, or a standby that was behind took over. */
export interface Setback {
  /** The last entry of this agent that it has; 0: none. */
  readonly fromSeq: number;
  /** The last one that it should have. */
  readonly toSeq: number;
  /** The agent, if the database does not know it any more. */
  readonly unknown: ChainOf | null;
  /** Whether the agent's own chain has everything that is missing, and nothing stands in its place. */
  readonly isWhole: boolean;
}

const KNOWN = 'SELECT id, ledger, seq, hash FROM agents WHERE name = :name';
const IS_FREE = 'SELECT NOT EXISTS (SELECT FROM agents WHERE id = :number) AS "isFree"';
const LAST_HERE = `
SELECT max(c.seq) AS seq FROM unnest(:seqs::bigint[], :hashes::text[]) AS r (seq, hash) JOIN chain c ON c.agent = :agent AND c.seq = r.seq AND c.hash = r.hash`;
/** Older lines may have been archived. */
const FIRST_HERE = 'SELECT min(seq) AS seq FROM chain WHERE agent = :agent';
const AT_ONCE = 5_000;

/** Compares the agent's chain with its own copy. Null: nothing is missing, or another database is meant. */
export async function findSetback(
  sql: Sql,
  own: OwnChain,
  { name, where }: { readonly name: string; readonly where: string },
): Promise<Setback | null> {
  const end = own.end();
  if (end?.agent !== name) return null;
  const known = await sql.get<ChainHead & { readonly id: number; readonly ledger: string }>(KNOWN, { name });
  const isSame = known?.ledger === end.chain && known.id === end.number;
  if (!isSame && end.where !== where) return null;
  const toSeq = end.seq;
  if (!isSame) {
    const { agent, number, chain } = end;
    const isFree =
      known === undefined &&
      (await sql.get<{ readonly isFree: boolean }>(IS_FREE, { number }))?.isFree === true;
    const isWhole = isFree && own.heads()[0]?.seq === 1;
    return { fromSeq: 0, toSeq, unknown: isWhole ? { agent, number, chain, where } : null, isWhole };
  }
  if (known.seq === toSeq && known.hash === end.hash) return null;
  const lastHere = async (heads: readonly ChainHead[]): Promise<number> => {
    const of = { seqs: heads.map(({ seq }) => seq), hashes: heads.map(({ hash }) => hash) };
    return (await sql.get<{ readonly seq: number | null }>(LAST_HERE, { agent: known.id, ...of }))?.seq ?? 0;
  };
  if ((await lastHere([end])) === toSeq) return null;
  const first =
    (await sql.get<{ readonly seq: number | null }>(FIRST_HERE, { agent: known.id }))?.seq ?? null;
  if (known.seq > toSeq && (first ?? Infinity) > toSeq) return null;
  const heads = own.heads();
  // It was being brought back when that was interrupted.
  if (known.seq === 0 && heads[0]?.seq === 1) return { fromSeq: 0, toSeq, unknown: null, isWhole: true };
  const isEnd = ({ seq, hash }: ChainHead): boolean => seq === known.seq && hash === known.hash;
  if (heads.some(isEnd)) return { fromSeq: known.seq, toSeq, unknown: null, isWhole: true };
  let fromSeq = 0;
  for (let to = heads.length; to > 0 && fromSeq === 0; to -= AT_ONCE)
    fromSeq = await lastHere(heads.slice(Math.max(0, to - AT_ONCE), to));
  return {
    fromSeq: fromSeq === 0 ? Math.min(known.seq, toSeq - 1) : fromSeq,
    toSeq,
    unknown: null,
    isWhole: false,
  };
}

/** As the ledger stores it. @param keptAs the file that has what can't be brought back */
export function storyOf(
  { fromSeq: from, toSeq: to, isWhole }: Setback,
  where: string,
  keptAs: string | null,
): string {
  return toMessage({ is: 'wentBack', where, from, to, isWhole, keptAs });
}

/**
 * Other agents that were running in the state that the database went back to, and have not been heard of since, or are bringing their own entries back:
 * how many, and how far they are.
 */
const OTHERS = `
SELECT count(*) AS n, coalesce(sum(seq), 0) AS seqs FROM agents
 WHERE name <> :name AND running AND started_at IS NOT NULL AND (bringing OR seen_at < :since::bigint)`;
const TIME = `SELECT ${NOW} AS now`;

/** Longer than a running agent takes to connect again. */
const HEARD_WITHIN_MS = 15_000;
const LOOK_EVERY_MS = 250;
/** Agents that bring back theirs at the same time wait for each other's rows in turn. */
const NEXT_ROW_MS = 25;

type Waits = Pick<Clock, 'monotonic' | 'sleep'>;

/** Waiting for the other agents, together no longer than 15 seconds in which none of them comes forward. */
export class SetbackPatience {
  readonly #sql: Sql;
  readonly #clock: Waits;
  readonly #of: { readonly name: string; readonly since: number };
  #seqs = -1;
  #until: number;

  private constructor(sql: Sql, clock: Waits, of: { readonly name: string; readonly since: number }) {
    this.#sql = sql;
    this.#clock = clock;
    this.#of = of;
    this.#until = clock.monotonic() + HEARD_WITHIN_MS;
  }

  static async from(sql: Sql, clock: Waits, name: string): Promise<SetbackPatience> {
    return new SetbackPatience(sql, clock, { name, since: (await sql.get<{ now: number }>(TIME))?.now ?? 0 });
  }

  /** A moment later. False if there is nobody to wait for any longer. @param isLost what another agent has, whom the database may not know any more */
  async wait(isLost = false): Promise<boolean> {
    const { n = 0, seqs = 0 } = (await this.#sql.get<{ n: number; seqs: number }>(OTHERS, this.#of)) ?? {};
    if (n === 0 && !isLost) return false;
    if (this.#seqs >= 0 && seqs !== this.#seqs) this.#until = this.#clock.monotonic() + HEARD_WITHIN_MS;
    this.#seqs = seqs;
    if (this.#clock.monotonic() >= this.#until) return false;
    await this.#clock.sleep(isLost ? NEXT_ROW_MS : LOOK_EVERY_MS);
    return true;
  }
}
