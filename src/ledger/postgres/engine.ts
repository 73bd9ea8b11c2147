import { isOfLedger, isTakenOver, ReceiptdError, systemCode } from '../../core/domain/errors.ts';
import { BYTES_ELSEWHERE } from '../../core/domain/document.ts';
import type { JournalLine } from '../journal/line.ts';
import type { Connection } from './connection.ts';
import { isConflict, isLost, isOfServer, ledgerFailure } from './failure.ts';
import type { SqlParams, Sql } from './statements.ts';
import { CHAIN, fromJournal, type Entry, type EntryOf, type OthersRange, type Range } from '../entries.ts';
import type { Engine, EngineFault, Head, Reader, RecordedEntry } from '../engine.ts';
import { kindOf, TABLES, type COUNTED, type Cells, type Table } from '../schema.ts';
import { parse, translate, type Dialect, type Parsed } from '../statements.ts';
import {
  CHAIN_COLUMNS,
  chainEntry,
  chainLines,
  HEAD,
  lineText,
  movedLine,
  SET_HEAD,
  type ChainEntry,
  type ChainHead,
  type ChainRow,
} from './chain.ts';
import {
  END_LEADS,
  IS_RUNNING,
  isTakenBy,
  madeAnew,
  newer,
  NOW,
  requireWholeChains,
  SCHEMA_VERSION,
  TELL,
} from './tables.ts';

/* ---- Statements ---- */

/** Lists with their filters make ever new texts. */
const MOST_KNOWN = 400;

type TableColumns = readonly (readonly [name: string, kind: string])[];

/** Rows as a table `r`, of an array for each column: faster on both sides than objects in JSON. */
const arrays = (columns: TableColumns): string =>
  `unnest(${columns.map(([, kind], i) => `$${i + 1}::${kind === 'text' ? 'text' : 'bigint'}[]`).join(', ')}) AS r (${columns.map(([name]) => name).join(', ')})`;

const WRITING: Dialect = {
  lateral: 'LATERAL',
  rows: (batch) => `${arrays(batch)} CROSS JOIN`,
  one: (query, batch) =>
    `SELECT x.* FROM ${arrays(batch)} CROSS JOIN LATERAL (${query} LIMIT 1 FOR NO KEY UPDATE OF t) x`,
  row: (name) => `r.${name}`,
  batchParams: ({ length }) => length,
  param: (index) => `$${index + 1}`,
  // In one order for all agents.
  lock: (alias) => `ORDER BY ${alias}.id FOR NO KEY UPDATE OF ${alias}`,
  number: (column, param) =>
    `CASE WHEN jsonb_typeof(${column}::jsonb -> ${param}::text) = 'number' THEN (${column}::jsonb ->> ${param}::text)::numeric END`,
};
/** For reads, which wait for nobody. */
const READING: Dialect = {
  ...WRITING,
  one: (query, batch) => `SELECT x.* FROM ${arrays(batch)} CROSS JOIN LATERAL (${query} LIMIT 1) x`,
  lock: () => '',
};

const CONTROL = /[\0-\x1f]/;

/**
 * The text of an array, which is JSON's but for the brackets and control characters. Null for nothing but nulls: unnest fills up what is missing.
 */
function arrayOf(values: readonly (string | number | null | undefined)[]): string | null {
  if (values.every((value) => value === null || value === undefined)) return null;
  if (values.some((value) => typeof value === 'string' && CONTROL.test(value)))
    return `{${values.map((value) => (typeof value === 'string' ? `"${value.replace(/["\\]/g, '\\$&')}"` : String(value ?? 'NULL'))).join()}}`;
  return `{${JSON.stringify(values).slice(1, -1)}}`;
}

const columnsIn = (rows: readonly Cells[], names: readonly string[]): (string | null)[] =>
  names.map((name) => arrayOf(rows.map((row) => row[name])));

class Translator {
  readonly #dialect: Dialect;
  readonly #known = new Map<string, { readonly text: string; readonly parsed: Parsed }>();

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  statement(
    text: string,
    batch: readonly object[] | null,
    params: object,
  ): readonly [text: string, params: SqlParams] {
    let known = this.#known.get(text);
    if (known === undefined) {
      const parsed = parse(text);
      if (this.#known.size >= MOST_KNOWN) this.#known.clear();
      this.#known.set(text, (known = { parsed, text: translate(text, parsed, this.#dialect) }));
    }
    const { parsed } = known;
    const named = params as Readonly<Record<string, string | number | null>>;
    const names = parsed.batch?.map(([name]) => name) ?? [];
    const columns = columnsIn((batch ?? []) as readonly Cells[], names);
    return [known.text, [...columns, ...parsed.params.map((name) => named[name] ?? null)]];
  }
}

/** Reads, on connections of their own. */
export function postgresReader(use: <T>(work: (sql: Pick<Sql, 'all'>) => Promise<T>) => Promise<T>): Reader {
  const translator = new Translator(READING);
  return {
    each: (text, batch, params = {}) => use((sql) => sql.all(...translator.statement(text, batch, params))),
  };
}

/**
 * The shared lock keeps out whoever would fence this agent or add to its chain, but not its own heartbeat, which must not wait for a transaction that
 * waits.
 */
const LOCK_SELF = `
SELECT a.epoch, a.seq, a.hash, ${NOW} AS now, t.version, t.behind IS NOT NULL AS "isBehind"
  FROM agents a CROSS JOIN tables t WHERE a.id = :agent FOR KEY SHARE OF a`;
/** Waits until a transaction has ended whose connection was lost. */
const LAST_HEAD = `${HEAD} FOR UPDATE`;
const HASH_DIGITS = 16;
const IS_THERE = `SELECT FROM chain WHERE agent = :agent AND seq = :seq AND hash = :hash`;
const HEADS = `SELECT id, seq FROM agents ORDER BY id`;
const ABOUT = `SELECT DISTINCT c.agent, c.seq, c.hash FROM {rows id:int} {lateral} (
  SELECT d.agent, d.seq, d.hash, d.personal FROM chain d WHERE d.document = r.id
  UNION ALL
  SELECT f.agent, f.seq, f.hash, f.personal FROM chain f WHERE f.file = r.id) c
  WHERE left(c.personal, 1) = '{'`;
const RANGES = arrays([
  ['agent', 'int'],
  ['first', 'int'],
  ['last', 'int'],
  ['hash', 'text'],
]);
/** Whether a range `r` is not of lines that have these numbers since the ledger went back. */
export const IS_MEANT = `NOT EXISTS (SELECT FROM chain h WHERE h.agent = r.agent AND h.seq = r.last AND left(h.hash, ${HASH_DIGITS}) <> r.hash)`;
const BLANK = `UPDATE chain c SET personal = repeat(' ', octet_length(c.personal))
  FROM ${RANGES} WHERE c.agent = r.agent AND c.seq BETWEEN r.first AND r.last AND c.personal <> '' AND ${IS_MEANT}`;
const TO_BLANK = `INSERT INTO erasures (agent, first, last) SELECT r.agent, r.first, r.last FROM ${RANGES} WHERE ${IS_MEANT}`;

/** Waits until the agent's own transaction has ended, if it is in one. */
const TAKE_OVER = `UPDATE agents a SET epoch = a.epoch + 1, taken_by = :own FROM (SELECT id FROM agents WHERE id = :agent FOR UPDATE) l
  WHERE a.id = l.id AND NOT ${IS_RUNNING} AND NOT ${isTakenBy(':own')} RETURNING a.id`;

/** Session lock of the agent that makes the tables anew. */
const ANEW = 7_267_340;
const TRY_ANEW = `SELECT pg_try_advisory_lock(${ANEW}) AS "isMine"`;
const END_ANEW = `SELECT pg_advisory_unlock(${ANEW})`;
const BEHIND = `SELECT behind FROM tables`;
const SET_BEHIND = `UPDATE tables SET behind = :behind::bigint`;
/** Lines of all chains behind a place, in their order. */
export const IN_ORDER = `SELECT c.agent, a.name, c.ord, c.entry, c.hash, c.personal FROM chain c JOIN agents a ON a.id = c.agent
  WHERE c.ord > :behind ORDER BY c.ord LIMIT 2000`;
const WAIT_MS = 250;

interface Own extends ChainHead {
  readonly epoch: number;
  readonly now: number;
  readonly version: number;
  readonly isBehind: boolean;
}

/** An agent's row while it works: every transaction is checked against the epoch. */
export interface AgentSession {
  /** The agent's number. */
  readonly agent: number;
  readonly epoch: number;
}

/** The agent that writes, and the connection on which it does. */
export interface Writing {
  readonly name: string;
  readonly where: string;
  /** Ids of the shared folders that it has. */
  readonly folders: ReadonlySet<number>;
  /** @throws ReceiptdError LEDGER_UNREACHABLE before the first session */
  readonly session: AgentSession;
  /** @throws ReceiptdError LEDGER_UNREACHABLE while there is none */
  readonly connection: Connection;
  readonly isClosed: boolean;
  /** The connection that replaces a lost one, once there is one. @throws ReceiptdError LEDGER_UNREACHABLE if this is closed before */
  reconnected(): Promise<Connection>;
  /** Keeps the lines of a commit, each with its line feed. */
  committed(lines: readonly string[], head: ChainHead): void;
  /** Called with how long a commit took; milliseconds. */
  onCommitted?(ms: number): void;
  /** Called when the server fails, rather than a row. */
  failed?(error: ReceiptdError): void;
  sleep(ms: number): Promise<void>;
}

/**
 * PostgreSQL, shared by the agents of a fleet. Each agent has a chain, whose lines are rows that are committed along with the others. Writes are sent
 * without a wait for their answers: a failure comes up with the next answer, and COMMIT becomes a rollback.
 */
export class PostgresEngine implements Engine {
  readonly reader: Reader;
  readonly #agent: Writing;
  readonly #only: Connection | null;
  readonly #translator = new Translator(WRITING);
  readonly #inserts = new Map<string, string>();
  /** Of the transaction. */
  #connection: Connection | null = null;
  #failure: { readonly error: unknown } | null = null;
  #head: ChainHead = { seq: 0, hash: '' };
  /** Those that the transaction adds to the chain. */
  #lines: string[] = [];
  #startedAt = 0;
  /** The head that the transaction gives the chain, from its COMMIT until the answer. */
  #isCommitting = false;
  /** The error of a commit that did not take place: its steps may run again. */
  #undone: unknown = null;
  #isMakingAnew = false;
  #commits = 0;

  /** @param only the connection to use, before others may use one; a commit whose answer is lost with it counts as failed */
  constructor(agent: Writing, reader: Reader, only: Connection | null = null) {
    this.#agent = agent;
    this.reader = reader;
    this.#only = only;
  }

  /* ---- A transaction ---- */

  async begin(): Promise<Head> {
    const connection = this.#only ?? this.#agent.connection;
    const { agent, epoch } = this.#agent.session;
    this.#connection = connection;
    this.#failure = null;
    this.#isCommitting = false;
    this.#lines = [];
    connection.send('BEGIN');
    const [own] = await this.#answer(connection.all<Own>(LOCK_SELF, { agent }));
    try {
      if (own?.epoch !== epoch) throw new ReceiptdError('AGENT_FENCED', { agent: this.#agent.name });
      if (own.version !== SCHEMA_VERSION) throw newer(this.#agent.where, own.version);
    } catch (error) {
      // Another session needs another connection.
      connection.destroy();
      throw error;
    }
    if (own.isBehind && !this.#isMakingAnew) throw madeAnew(this.#agent.where);
    const { seq, hash, now } = own;
    this.#head = { seq, hash };
    this.#startedAt = performance.now();
    return { seq, base: agent * CHAIN, name: this.#agent.name, now };
  }

  each<Row>(text: string, batch: readonly object[] | null, params: object = {}): Promise<readonly Row[]> {
    return this.#answer(this.#used.all<Row>(...this.#translator.statement(text, batch, params)));
  }

  insert(
    table: Table | keyof typeof COUNTED | 'chain',
    columns: Readonly<Record<string, string>>,
    rows: readonly Cells[],
    onConflict = '',
  ): void {
    const names = Object.keys(columns);
    let text = this.#inserts.get(table);
    if (text === undefined) {
      const kinds = names.map((name): [string, string] => [name, kindOf(columns[name] ?? '')]);
      text = `INSERT INTO ${table} (${names.join(', ')}) SELECT * FROM ${arrays(kinds)} ${onConflict}`;
      this.#inserts.set(table, text);
    }
    this.#used.send(text, columnsIn(rows, names));
  }

  update(table: Table, columns: readonly string[], ids: readonly number[], rows: readonly Cells[]): void {
    const key = `${table} ${columns.join()}`;
    let text = this.#inserts.get(key);
    if (text === undefined) {
      const of: Readonly<Record<string, string>> = TABLES[table];
      const kinds = columns.map((name): [string, string] => [name, kindOf(of[name] ?? '')]);
      text = `UPDATE ${table} t SET ${columns.map((name) => `${name} = r.${name}`).join(', ')} FROM ${arrays([['id', 'id'], ...kinds])} WHERE t.id = r.id`;
      this.#inserts.set(key, text);
    }
    this.#used.send(text, [arrayOf(ids), ...columnsIn(rows, columns)]);
  }

  record(entries: readonly { readonly entry: Entry; readonly at: number }[]): void {
    const { agent } = this.#agent.session;
    const { rows, head } = chainLines(entries, this.#head, agent);
    this.insert('chain', CHAIN_COLUMNS, rows);
    this.#used.send(SET_HEAD, { agent, ...head });
    this.#head = head;
    this.#lines.push(...rows.map(lineText));
    this.#blank(entries.map(({ entry }) => entry));
    for (const signal of signalsOf(entries, this.#agent)) this.#used.send(TELL, { signal });
  }

  #blank(entries: readonly Entry[]): void {
    const { agent } = this.#agent.session;
    const blanks = entries.flatMap((entry) => (entry.kind === 'erased' ? blanksOf(entry, agent) : []));
    if (blanks.length === 0) return;
    const ranges = [0, 1, 2, 3].map((i) => arrayOf(blanks.map((blank) => blank[i])));
    this.#used.send(BLANK, ranges);
    this.#used.send(TO_BLANK, ranges);
  }

  async commit(): Promise<void> {
    const connection = this.#used;
    this.#isCommitting = true;
    const committed = connection.commit();
    committed.catch(() => {});
    await this.#answer(connection.settled().then(() => committed));
    // The server has answered: whatever comes now is of another transaction.
    this.#isCommitting = false;
    this.#connection = null;
    this.#agent.onCommitted?.(performance.now() - this.#startedAt);
    this.#remember();
    this.#commits += 1;
    // Plans are kept until a table is analyzed, and those of a new ledger read whole tables in a grown one: they are made anew with its size.
    if (Number.isInteger(Math.log2(this.#commits))) connection.send('DISCARD PLANS');
  }

  async rollback(): Promise<void> {
    const connection = this.#connection;
    this.#connection = null;
    if (connection?.isOpen !== true) return;
    await connection.settled().catch(() => {});
    await connection.exec('ROLLBACK').catch(() => connection.destroy());
  }

  /** The agent's head tells, on another connection. */
  async isRecorded(error: unknown): Promise<boolean> {
    if (!this.#isCommitting || !isLost(error) || this.#only !== null) return false;
    this.#isCommitting = false;
    const { seq, hash } = this.#head;
    for (;;) {
      const connection = await this.#agent.reconnected();
      const { agent } = this.#agent.session;
      try {
        await connection.get<ChainHead>(LAST_HEAD, { agent });
        // Not the head: what the database lost may have been brought back since, or a line about that been added.
        if ((await connection.get(IS_THERE, { agent, seq, hash })) !== undefined) {
          this.#remember();
          return true;
        }
        this.#undone = error;
        return false;
      } catch (failure) {
        // Another connection, or a transaction that has not ended yet: asked again.
        if (!isOfServer(failure)) throw failure;
      }
    }
  }

  finish(): boolean {
    return true;
  }

  /* ---- The tables made anew ---- */

  /** Nothing, unless the tables were emptied: then all chains, in their order. One agent folds them, the others wait. */
  async *behind(): AsyncGenerator<readonly RecordedEntry[]> {
    const connection = this.#only ?? this.#agent.connection;
    let behind = (await connection.get<{ readonly behind: number | null }>(BEHIND))?.behind ?? null;
    if (behind === null) return;
    await requireWholeChains(connection, this.#agent.where);
    while ((await connection.get<{ readonly isMine: boolean }>(TRY_ANEW))?.isMine !== true) {
      await this.#agent.sleep(WAIT_MS);
      this.#demandOpen();
    }
    try {
      this.#isMakingAnew = true;
      behind = (await connection.get<{ readonly behind: number | null }>(BEHIND))?.behind ?? null;
      while (behind !== null) {
        const rows: ChainRow[] = await connection.all<ChainRow>(IN_ORDER, { behind });
        const last = rows.at(-1);
        if (last === undefined) break;
        behind = last.ord;
        this.#demandOpen();
        yield rows.flatMap((row) => chainEntry(row) ?? []);
      }
      yield [];
      await connection.run(SET_BEHIND, { behind: null });
    } finally {
      this.#isMakingAnew = false;
      await connection.run(END_ANEW).catch(() => {});
    }
  }

  /** Closing waits for nobody, and the next start goes on. */
  #demandOpen(): void {
    if (this.#agent.isClosed) throw this.#unreachable('closing');
  }

  replayed(entries: readonly RecordedEntry[]): void {
    if (isMoved(entries)) return this.#addLines(entries);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- given out by `behind`
    const last = entries.at(-1) as ChainEntry | undefined;
    if (last !== undefined) this.#used.send(SET_BEHIND, { behind: last.ord });
  }

  /** Lines of a journal file, behind the chain's last one. */
  #addLines(entries: readonly JournalLine[]): void {
    const [first, last] = [entries[0], entries.at(-1)];
    if (first === undefined || last === undefined) return;
    const { agent } = this.#agent.session;
    if (first.seq !== this.#head.seq + 1)
      throw new ReceiptdError('MOVE_REFUSED.agentStarted', { agent: this.#agent.name });
    const rows = entries.map((entry) => movedLine(entry, agent));
    this.insert('chain', CHAIN_COLUMNS, rows);
    this.#head = { seq: last.seq, hash: last.hash };
    this.#used.send(SET_HEAD, { agent, ...this.#head });
    this.#lines.push(...rows.map(lineText));
    // Those that a crash left to be blanked.
    this.#blank(entries.map((entry) => fromJournal(entry)));
  }

  /* ---- Chains ---- */

  async personalEntries({
    documents,
    files,
  }: Parameters<Engine['personalEntries']>[0]): ReturnType<Engine['personalEntries']> {
    // One set: a document and the file of its bytes have the number of the entry that made both, and are erased together.
    const ids = [...new Set([...documents, ...files])].map((id) => ({ id }));
    const found = await this.each<{ readonly agent: number } & ChainHead>(ABOUT, ids);
    const { agent: own } = this.#agent.session;
    const hashes = new Map<number, Map<number, string>>();
    for (const { agent, seq, hash } of found) {
      const known = hashes.get(agent);
      if (known === undefined) hashes.set(agent, new Map([[seq, hash]]));
      else known.set(seq, hash);
    }
    const others = [...hashes]
      .filter(([agent]) => agent !== own)
      .flatMap(([agent, of]) =>
        rangesOf([...of.keys()]).map(([from, to]): OthersRange => [
          agent,
          from,
          to,
          of.get(to)?.slice(0, HASH_DIGITS) ?? '',
        ]),
      );
    return {
      entries: rangesOf([...(hashes.get(own)?.keys() ?? [])]),
      ...(others.length > 0 && { others: others.sort(([a, b], [c, d]) => a - c || b - d) }),
    };
  }

  async heads(): Promise<readonly (readonly [base: number, seq: number])[]> {
    const rows = await this.each<{ readonly id: number; readonly seq: number }>(HEADS, null);
    return rows.map(({ id, seq }) => [id * CHAIN, seq]);
  }

  async takeOver(base: number): Promise<boolean> {
    const [agent, own] = [base / CHAIN, this.#agent.session.agent];
    const fenced = await this.#answer(this.#used.all(TAKE_OVER, { agent, own }));
    if (fenced.length > 0) this.#used.send(END_LEADS, { agent });
    return fenced.length > 0;
  }

  /* ---- Failures ---- */

  faultOf(error: unknown): EngineFault {
    if (error === this.#undone || isConflict(error) || systemCode(error) === TAKEN) return 'again';
    if (isOfLedger(error) || isTakenOver(error) || isOfServer(error)) return 'store';
    return systemCode(error) === NO_RIGHT ? 'store' : 'row';
  }

  /** The connection is the agent's. */
  close(): void {}

  get #used(): Connection {
    if (this.#connection) return this.#connection;
    throw this.#unreachable('lost');
  }

  /** Rejects with the transaction's first failure: later statements only say that there was one. */
  async #answer<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } catch (error) {
      const sent = await this.#connection?.settled().then(
        () => null,
        (cause: unknown) => ({ error: cause }),
      );
      this.#failure ??= sent ?? { error };
      const { error: first } = this.#failure;
      if (isOfServer(first) && !isConflict(first) && !isOfLedger(first))
        this.#agent.failed?.(ledgerFailure(first, this.#agent.where));
      throw first;
    }
  }

  #remember(): void {
    if (this.#lines.length > 0) this.#agent.committed(this.#lines, this.#head);
    this.#lines = [];
  }

  #unreachable(detail: string): ReceiptdError {
    return new ReceiptdError('LEDGER_UNREACHABLE.connection', { where: this.#agent.where, detail });
  }
}

/** Another agent took a name, or made a row, between look-up and insertion. */
const TAKEN = '23505';
const NO_RIGHT = '42501';

function rangesOf(seqs: readonly number[]): Range[] {
  const ranges: [number, number][] = [];
  for (const seq of seqs.toSorted((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === seq - 1) last[1] = seq;
    else ranges.push([seq, seq]);
  }
  return ranges;
}

function blanksOf(
  { entries, others = [] }: EntryOf<'erased'>,
  agent: number,
): (readonly (number | string)[])[] {
  return [...entries.map(([first, last]) => [agent, first, last]), ...others];
}

function isMoved(entries: readonly RecordedEntry[]): entries is readonly JournalLine[] {
  return entries[0] !== undefined && 'line' in entries[0];
}

/** Reasons of documents that an agent leaves to others. */
const LEFT: ReadonlySet<string> = new Set(['INTERRUPTED', BYTES_ELSEWHERE]);

/** What other agents should know at once: documents that they may send, and holds. */
function signalsOf(entries: readonly { readonly entry: Entry }[], { folders }: Writing): ReadonlySet<string> {
  const signals = new Set<string>();
  for (const { entry } of entries) {
    switch (entry.kind) {
      case 'admitted':
        if (entry.isCopy === true || folders.has(entry.folder)) signals.add(`queue ${entry.folder}`);
        break;
      case 'moved':
        if (entry.state === 'queued' && (entry.afresh === true || LEFT.has(entry.reason ?? '')))
          signals.add('queue');
        break;
      case 'ended':
        if (entry.attempt >= CHAIN && entry.state === 'queued') signals.add('queue');
        break;
      case 'released':
        signals.add('holds');
        break;
      case 'hold':
        if (entry.paused === true || entry.sharedUntil !== undefined) signals.add('holds');
        break;
      default:
    }
  }
  return signals;
}
